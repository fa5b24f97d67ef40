// SPDX-License-Identifier: MIT
// The viewer's page as the checks take hold of it: its own interface, window.tendrilViewer (see
// web/src/viewer/state.ts), and the few moves that all checks make.

import { Checks, waitFor } from '../page-checks.mjs';

export const WINDOW = { width: 900, height: 460 };
export const checks = new Checks();
export const expect = (condition, message) => checks.expect(condition, message);
export { waitFor };

export const ready = (page) =>
  waitFor(page, () => window.tendrilViewer?.ready || !document.getElementById('fault').hidden);

/** A call of the page's own interface: a function of the viewer and one argument. */
export const ask = (page, call, argument) => page.evaluate(
  ([text, value]) => new Function('viewer', 'value', `return (${text})(viewer, value)`)(window.tendrilViewer, value),
  [call.toString(), argument]);

export async function openItem(page, name) {
  await ask(page, (viewer, item) => viewer.open(item), name);
  await ready(page);
}

/** Pictures cost time where there is no graphics card; what does not look at them does without. */
export const setDrawing = (page, on) => page.evaluate((value) => {
  window.tendrilViewer.drawing = value;
}, on);

// in the page, before its own scripts: not even the first picture is drawn
export function startUndrawn() {
  let published;
  Object.defineProperty(window, 'tendrilViewer', {
    get: () => published,
    set: (viewer) => {
      published = viewer;
      viewer.drawing = false;
    },
  });
}

/** One picture, of what is there now. */
export async function drawOnce(page) {
  const before = await ask(page, (viewer) => viewer.frames);
  await setDrawing(page, true);
  await waitFor(page, (count) => window.tendrilViewer.frames > count, before);
  await setDrawing(page, false);
}

/** Stopped, it stands still: an answer of the worker may have been on its way, and the camera moves with the next frames. */
export async function setPlaying(page, playing) {
  if (await ask(page, (viewer) => viewer.playing) !== playing) {
    await page.locator('#play').click();
  }
  if (!playing) {
    await waitFor(page, () => window.tendrilViewer.idle);
    await frames(page, 3);
  }
}

export const run = (page, seconds) => ask(page, (viewer, s) => viewer.run(s), seconds);
export const tipOf = (page, segment) => ask(page, (viewer, s) => viewer.tip(s), segment);
export const screenOf = (page, place) => ask(page, (viewer, p) => viewer.onScreen(p), place);
export const distance = (a, b) => Math.hypot(...a.map((x, k) => x - b[k]));

export async function reset(page) {
  await page.locator('#reset').click();
  await waitFor(page, () => window.tendrilViewer.ready && window.tendrilViewer.time === 0);
}

/** Waits for so many turns of the page's own clock. */
export const frames = (page, count) => page.evaluate(async (turns) => {
  for (let k = 0; k < turns; k++) {
    await new Promise((done) => requestAnimationFrame(done));
  }
}, count);

/** Browsers hand on moves of the pointer with the next picture: waits until that is done. */
export const pointerArrived = (page) => frames(page, 3);

/** Files from the visitor's disk, let go above the picture. */
export async function drop(page, files) {
  const transfer = await page.evaluateHandle((list) => {
    const made = new DataTransfer();
    list.forEach(([name, data]) => made.items.add(new File([typeof data === 'string' ? data : Uint8Array.from(data)], name)));
    return made;
  }, files);
  await page.locator('#view').dispatchEvent('dragover', { dataTransfer: transfer });
  expect(await page.locator('#dropping').isVisible(), 'the page says what can be dropped');
  await page.locator('#view').dispatchEvent('drop', { dataTransfer: transfer });
}

/** A text in the place of what stands in the editor, as if it were typed. */
export async function write(page, text) {
  await page.locator('#editor .cm-content').focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(text);
}
