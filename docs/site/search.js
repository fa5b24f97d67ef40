// Search of pages that are opened from a disk, where a browser neither fetches the index nor starts a worker: the index
// comes as a script, and a frame does the worker's work. The theme takes both as they are (its own names: __search,
// IFrameWorker). scripts/site/build.py puts this before the theme's script.
if (location.protocol === 'file:') {
  const index = new URL('../search/search_index.js', document.currentScript.src);
  document.write(`<script src="${index}"><\/script>`);
  window.Worker = window.IFrameWorker = class extends EventTarget {
    constructor(address) {
      super();
      const frame = document.createElement('iframe');
      frame.hidden = true;
      frame.title = 'Search';
      frame.srcdoc = `<script src="${address}"><\/script>`;
      this.inside = new Promise((loaded) => {
        frame.onload = () => {
          frame.contentWindow.postMessage = (data) => this.dispatchEvent(new MessageEvent('message', { data }));
          loaded(frame.contentWindow);
        };
      });
      document.body.append(frame);
    }

    postMessage(data) {
      this.inside.then((inside) => inside.dispatchEvent(new inside.MessageEvent('message', { data })));
    }
  };
}
