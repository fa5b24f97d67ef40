// SPDX-License-Identifier: MIT
// The stage that every page and picture shares: renderer, daylight, ground and camera. It shows one
// model at a time; it knows nothing of pages, pointers or clocks.

import {
  NeutralToneMapping,
  PCFShadowMap,
  PerspectiveCamera,
  SRGBColorSpace,
  Scene,
  Sphere,
  Vector2,
  Vector3,
  WebGLRenderer,
} from 'three';
import type { DirectionalLight, Mesh } from 'three';
import { addSkyAttribute, skyInside } from './canopy';
import type { Sky } from './canopy';
import { DAY, DUSK, SUN, makeBackdrop, makeSkyLight, makeSun, paintBackdrop } from './daylight';
import type { Backdrop } from './daylight';
import { applyView, bestView } from './framing';
import type { View } from './framing';
import { GROUND_SIZE, GroundShadow } from './ground';
import { sketched } from './sketch';
import { disposeSurfaces, applySurfaces } from './surface';
import type { Model } from './model';

export interface StageOptions {
  /** Pixels on a side of the sun's shadow map. */
  shadowMapSize: number;
  /** Pixels on the longer side of the ground's shadow. */
  groundSize: number;
  /** 1 hides the bands of the backdrop's gradient, 0 keeps it smooth for small picture files. */
  grain: number;
  /** Shadows are drawn in a hurry from the start: the model is about to move. */
  hurried?: boolean;
}

export interface Size {
  width: number;
  height: number;
}

export const PAGE_OPTIONS: StageOptions = { shadowMapSize: 2048, groundSize: GROUND_SIZE, grain: 1 };

/** Vertical angle of view, degrees: that of a portrait lens, so that crowns keep their shape. */
const FIELD_OF_VIEW = 26;

function makeRenderer(canvas: HTMLCanvasElement): WebGLRenderer {
  try {
    return new WebGLRenderer({ canvas, antialias: true, alpha: false });
  } catch {
    throw new Error('this page draws with WebGL 2, which this browser does not offer');
  }
}

export class Stage {
  readonly renderer: WebGLRenderer;
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(FIELD_OF_VIEW, 1, 0.01, 100);
  private readonly sun: DirectionalLight;
  private readonly sky = makeSkyLight();
  private readonly backdrop: Mesh;
  private readonly options: StageOptions;
  /** Of shadows: they have no more detail than the picture, which is small on a page that is zoomed out. */
  private sharpness = Math.min(devicePixelRatio, 1);
  /** Of models that have their surfaces: the light inside each of their plants. */
  private readonly skies = new WeakMap<Model, Sky[]>();
  private readonly grounds = new Map<Model, GroundShadow>();
  private shown: Model | null = null;

  /** Throws when the browser has no WebGL 2. */
  constructor(canvas: HTMLCanvasElement, options: StageOptions) {
    this.options = options;
    this.renderer = makeRenderer(canvas);
    this.renderer.outputColorSpace = SRGBColorSpace;
    // of three.js's curves the one that leaves a petal the colour its author gave it
    this.renderer.toneMapping = NeutralToneMapping;
    this.renderer.toneMappingExposure = 1.15;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    // plants here stand still: the shadow map is drawn when the model changes
    this.renderer.shadowMap.autoUpdate = false;
    this.sun = makeSun(this.shadowMapSize);
    this.backdrop = makeBackdrop(options.grain);
    this.scene.add(this.sun, this.sun.target, this.sky, this.backdrop);
    canvas.addEventListener('webglcontextrestored', () => this.drawGroundsAgain());
  }

  get model(): Model | null {
    return this.shown;
  }

  /** Sky and ground are as light or dark as the page around; calls when that has changed. */
  followColorScheme(onChange: () => void): void {
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const apply = (): void => this.paint(dark.matches ? DUSK : DAY);
    apply();
    dark.addEventListener('change', () => {
      apply();
      onChange();
    });
  }

  paint(colors: Backdrop): void {
    paintBackdrop(this.backdrop, colors);
  }

  /** Size of the picture in CSS pixels. */
  resize(width: number, height: number, pixelRatio: number): void {
    this.sharpen(Math.min(pixelRatio, 1));
    this.renderer.setPixelRatio(pixelRatio);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / Math.max(height, 1);
    this.camera.updateProjectionMatrix();
  }

  /** Draws the shadows of a model that has moved; `hurried`: not as well as they could be. */
  drawShadows(hurried: boolean): void {
    if (this.shown) {
      this.grounds.get(this.shown)!.draw(hurried);
      this.renderer.shadowMap.needsUpdate = true;
    }
  }

  /** Puts a model on the ground in place of the one before. What it needs is kept for next time. */
  show(model: Model): void {
    this.clear();
    if (!this.skies.has(model)) {
      const plants = model.plants ?? [model];
      const skies = plants.map(skyInside);
      plants.forEach(({ meshes }, k) => addSkyAttribute(skies[k], meshes));
      applySurfaces(model.meshes);
      this.skies.set(model, skies);
    }
    if (!this.grounds.has(model)) {
      this.grounds.set(model, new GroundShadow(this.renderer, model, {
        ...this.options, groundSize: this.sharpness * this.options.groundSize,
      }));
    }
    this.scene.add(model.root, this.grounds.get(model)!.plane);
    this.aimSun(model);
    this.renderer.shadowMap.needsUpdate = true;
    this.shown = model;
  }

  /** A model that was shown gets the same surface once more, as finer meshes; they cast no shadow on the ground. */
  addFiner(model: Model, meshes: Mesh[]): void {
    addSkyAttribute(this.skies.get(model)![0], meshes);
    applySurfaces(meshes);
    model.meshes.push(...meshes);
  }

  /** Forgets a model and frees what it holds on the graphics card. */
  remove(model: Model): void {
    if (this.shown === model) {
      this.clear();
    }
    this.grounds.get(model)?.dispose();
    this.grounds.delete(model);
    disposeSurfaces(model);
  }

  /** Light and ground go along with a model that wanders off. */
  follow(x: number, z: number): void {
    if (this.shown) {
      const by = new Vector3(x, 0, z);
      this.shown.box.translate(by);
      this.grounds.get(this.shown)!.moveBy(x, z);
      this.aimSun(this.shown);
    }
  }

  bestView(model: Model, turning: boolean): View {
    return bestView(model, this.camera, turning);
  }

  render(view?: View): void {
    if (view) {
      applyView(view, this.camera);
    }
    if (this.shown) {
      this.setDepthRange(this.shown);
      this.grounds.get(this.shown)!.goOn();
    }
    this.renderer.render(this.scene, this.camera);
  }

  /** A model that is not on the stage yet, in a hurry: without shadows and all else that show() prepares. */
  sketch(model: Model): void {
    this.clear();
    this.scene.add(model.root);
    this.setDepthRange(model);
    sketched(model.meshes, this.sun, this.sky, () => this.renderer.render(this.scene, this.camera));
    this.scene.remove(model.root);
  }

  /**
   * Draws a small picture of a model through a corner of the canvas, and leaves everything as it
   * was but for the pixels of the canvas itself: render() again before the browser shows them.
   */
  drawThumbnail(model: Model, out: CanvasRenderingContext2D, size: Size): void {
    const before = this.shown;
    const { position, quaternion, aspect } = this.camera.clone();
    const whole = this.renderer.getSize(new Vector2());
    const ratio = this.renderer.getPixelRatio();
    this.show(model);
    this.camera.aspect = size.width / size.height;
    this.renderer.setViewport(0, 0, size.width / ratio, size.height / ratio);
    this.render(bestView(model, this.camera, false));
    const { canvas } = out;
    const from = this.renderer.domElement.height - size.height;
    out.drawImage(this.renderer.domElement, 0, from, size.width, size.height, 0, 0,
                  canvas.width, canvas.height);

    this.renderer.setViewport(0, 0, whole.x, whole.y);
    this.camera.aspect = aspect;
    this.camera.position.copy(position);
    this.camera.quaternion.copy(quaternion);
    this.camera.updateProjectionMatrix();
    if (before) {
      this.show(before);
    } else {
      this.clear();
    }
  }

  private clear(): void {
    if (this.shown) {
      this.scene.remove(this.shown.root, this.grounds.get(this.shown)!.plane);
      this.shown = null;
    }
  }

  private get shadowMapSize(): number {
    return Math.round(this.sharpness * this.options.shadowMapSize);
  }

  // shadows are drawn again when the picture has more detail than they have
  private sharpen(sharpness: number): void {
    if (sharpness <= this.sharpness) {
      return;
    }
    this.sharpness = sharpness;
    this.sun.shadow.mapSize.setScalar(this.shadowMapSize);
    this.sun.shadow.map?.dispose();
    this.sun.shadow.map = null;
    this.drawGroundsAgain();
  }

  // what was computed on a graphics card is gone with its context
  private drawGroundsAgain(): void {
    const model = this.shown;
    this.clear();
    this.grounds.forEach((ground) => ground.dispose());
    this.grounds.clear();
    if (model) {
      this.show(model);
    }
  }

  // the shadow map covers the model's bounding box as the sun sees it, and no more
  private aimSun(model: Model): void {
    const ball = model.box.getBoundingSphere(new Sphere());
    this.sun.target.position.copy(ball.center);
    this.sun.position.copy(ball.center).addScaledVector(SUN, 2 * ball.radius);
    this.sun.target.updateMatrixWorld();
    this.sun.updateMatrixWorld();

    const right = new Vector3(0, 1, 0).cross(SUN).normalize();
    const up = SUN.clone().cross(right);
    const half = model.box.getSize(new Vector3()).multiplyScalar(0.5);
    const reach = (axis: Vector3): number =>
      1.02 * (Math.abs(axis.x) * half.x + Math.abs(axis.y) * half.y + Math.abs(axis.z) * half.z);
    const { shadow } = this.sun;
    shadow.camera.left = -reach(right);
    shadow.camera.right = reach(right);
    shadow.camera.bottom = -reach(up);
    shadow.camera.top = reach(up);
    shadow.camera.near = 0.9 * ball.radius;
    shadow.camera.far = 3.1 * ball.radius;
    shadow.camera.updateProjectionMatrix();

    const texel = (2 * Math.max(reach(right), reach(up))) / this.shadowMapSize;
    shadow.radius = 2.2;
    shadow.normalBias = 2 * texel;
    shadow.bias = (-1.5 * texel) / (2.2 * ball.radius);
  }

  private setDepthRange(model: Model): void {
    const ball = model.box.getBoundingSphere(new Sphere());
    const distance = this.camera.position.distanceTo(ball.center);
    this.camera.near = Math.max(distance - 1.5 * ball.radius, 0.01 * ball.radius);
    this.camera.far = distance + 6 * ball.radius;
    this.camera.updateProjectionMatrix();
  }
}
