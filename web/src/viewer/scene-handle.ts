// SPDX-License-Identifier: MIT
// A handle at the place of what is chosen in the scene: dragged it moves over the ground, with shift
// up and down.

import { Plane, Raycaster, Vector2, Vector3 } from 'three';
import type { PerspectiveCamera } from 'three';
import { byId } from './dom';
import type { SceneEditor } from './scene-edit';
import { fieldsOf, numbersOf } from './scene-kinds';
import type { Field, Thing } from './scene-kinds';
import type { Viewer } from './viewer';

const UP = new Vector3(0, 1, 0);
const PLACES = ['position', 'to'];

export class SceneHandle {
  private readonly viewer: Viewer;
  private readonly editor: SceneEditor;
  private readonly handle = byId<HTMLButtonElement>('handle');
  private readonly camera: PerspectiveCamera;
  /** Where it is dragged to, before the scene has followed. */
  private at: Vector3 | null = null;

  constructor(viewer: Viewer, editor: SceneEditor) {
    this.viewer = viewer;
    this.editor = editor;
    this.camera = viewer.picture.stage.camera;
    this.handle.addEventListener('pointerdown', (event) => this.drag(event));
  }

  /** Once a picture: the camera may have moved. */
  update(shown: boolean): void {
    const found = shown ? this.place() : null;
    this.handle.hidden = found === null;
    if (found) {
      const { x, y } = this.viewer.hand.screen(this.at ?? found.at);
      this.handle.style.translate = `${x.toFixed(1)}px ${y.toFixed(1)}px`;
    }
  }

  private place(): { thing: Thing; field: Field; at: Vector3 } | null {
    const thing = this.editor.chosenThing;
    const field = thing ? fieldsOf(thing).find(({ key }) => PLACES.includes(key)) : undefined;
    const numbers = thing && field ? numbersOf(this.editor.valueOf(thing, field).value) : null;
    return thing && field && numbers?.length === 3 ? { thing, field, at: new Vector3(...(numbers as [number, number, number])) } : null;
  }

  private drag(event: PointerEvent): void {
    const found = this.place();
    if (!found) {
      return;
    }
    event.preventDefault();
    const { at } = found;
    const facing = this.camera.getWorldDirection(new Vector3()).setY(0).normalize();
    const plane = new Plane().setFromNormalAndCoplanarPoint(event.shiftKey ? facing : UP, at);
    const offset = this.onPlane(event, plane)?.sub(at) ?? new Vector3();
    const tell = (done: boolean): void => {
      const numbers = this.at!.toArray().map((one) => Number(one.toFixed(3)));
      this.editor.setVector(this.editor.chosenThing ?? found.thing, found.field, numbers, done);
    };
    const onMove = (moved: PointerEvent): void => {
      const to = this.onPlane(moved, plane)?.sub(offset);
      if (to) {
        // as far as shift says; the other axes stay
        this.at = event.shiftKey ? new Vector3(at.x, to.y, at.z) : new Vector3(to.x, at.y, to.z);
        this.viewer.picture.touched();
        tell(false);
      }
    };
    this.handle.setPointerCapture(event.pointerId);
    this.handle.addEventListener('pointermove', onMove);
    this.handle.addEventListener('lostpointercapture', () => {
      this.handle.removeEventListener('pointermove', onMove);
      if (this.at) {
        tell(true);
      }
      this.at = null;
    }, { once: true });
  }

  private onPlane({ clientX, clientY }: PointerEvent, plane: Plane): Vector3 | null {
    const box = this.viewer.picture.canvas.getBoundingClientRect();
    const ray = new Raycaster();
    ray.setFromCamera(new Vector2(
      (2 * (clientX - box.left)) / box.width - 1, 1 - (2 * (clientY - box.top)) / box.height), this.camera);
    return ray.ray.intersectPlane(plane, new Vector3());
  }
}
