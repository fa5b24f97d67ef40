// A picture of the gallery becomes the page that plays it. Without scripts it is a link to that page.
document.addEventListener('click', (event) => {
  const link = event.target.closest('a.plays');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) {
    return;
  }
  event.preventDefault();
  // a browser draws in few places at once: one plays
  document.querySelectorAll('iframe.playing').forEach((frame) => frame.replaceWith(frame.picture));
  const frame = document.createElement('iframe');
  frame.className = 'playing';
  frame.src = link.href;
  frame.title = link.querySelector('img').alt;
  frame.picture = link;
  link.replaceWith(frame);
});
