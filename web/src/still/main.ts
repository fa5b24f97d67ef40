// SPDX-License-Identifier: MIT
// The page behind scripts/render.mjs: draws one plant at a time into a canvas of fixed size.

import { decodeBase64 } from '../bytes';
import { loadModel } from '../model';
import { PAGE_OPTIONS, Stage } from '../scene';

/** Pixels drawn for one pixel of the picture, along each side. */
const OVERSAMPLING = 2;

const drawing = document.createElement('canvas');
const picture = document.querySelector('canvas')!;
let stage: Stage | null = null;

declare global {
  interface Window {
    renderStill: typeof renderStill;
  }
}

/** Draws a plant given as base64 of a .glb file; the picture then stands in the page's canvas. */
async function renderStill(base64: string, width: number, height: number): Promise<void> {
  stage ??= new Stage(drawing, { ...PAGE_OPTIONS, shadowMapSize: 4096, grain: 0 });
  const model = await loadModel('still', decodeBase64(base64));
  stage.resize(width, height, OVERSAMPLING);
  stage.show(model);
  stage.render(stage.bestView(model, false));

  picture.width = width;
  picture.height = height;
  const context = picture.getContext('2d')!;
  context.imageSmoothingQuality = 'high';
  context.drawImage(drawing, 0, 0, width, height);
  stage.remove(model);
}

window.renderStill = renderStill;
