// SPDX-License-Identifier: MIT
// What the hand shows: a ring where it would take hold, a dot at the point that was picked, and while
// it pulls the spring, with its force beside the pointer.

import {
  BufferAttribute, BufferGeometry, DoubleSide, Group, Mesh, MeshBasicMaterial, Points, ShaderMaterial, Vector3,
} from 'three';
import type { PerspectiveCamera, Scene } from 'three';
import { byId } from './dom';

/** CSS pixels. */
const SPRING = { coil: 5, width: 2.2, straight: 9, turn: 9 };
const TURNS = 9;
const POINTS_A_TURN = 10;
const COUNT = TURNS * POINTS_A_TURN + 3;
const COLOR = { hold: 0xd2491e, picked: 0x1d5fa8 };

const markVertex = /* glsl */ `
  uniform float size;
  void main() {
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
    gl_PointSize = size;
  }`;

// a ring, or a dot, on a light rim so that it shows on any plant
const markFragment = /* glsl */ `
  uniform vec3 color;
  uniform float hollow;
  void main() {
    float r = 2.0 * length(gl_PointCoord - 0.5);
    float soft = fwidth(r);
    float outer = 1.0 - smoothstep(1.0 - soft, 1.0, r);
    float inner = smoothstep(hollow - soft, hollow, r);
    float rim = smoothstep(0.78 - soft, 0.78, r) + (1.0 - smoothstep(hollow, hollow + 0.2, r)) * step(0.01, hollow);
    gl_FragColor = vec4(mix(color, vec3(1.0), clamp(rim, 0.0, 1.0)), outer * inner);
  }`;

export class HandMarks {
  private readonly hover = mark(COLOR.hold, 0.45);
  private readonly picked = mark(COLOR.picked, 0);
  private readonly spring: Mesh;
  private readonly label = byId('force');
  private readonly camera: PerspectiveCamera;
  private readonly canvas: HTMLElement;
  private readonly path = Array.from({ length: COUNT }, () => new Vector3());

  constructor(scene: Scene, camera: PerspectiveCamera, canvas: HTMLElement) {
    this.camera = camera;
    this.canvas = canvas;
    this.spring = new Mesh(ribbon(COUNT), new MeshBasicMaterial({
      color: COLOR.hold, depthTest: false, transparent: true, side: DoubleSide, toneMapped: false }));
    const group = new Group();
    for (const one of [this.hover, this.picked, this.spring]) {
      one.frustumCulled = false;
      one.visible = false;
      one.renderOrder = 10;
      group.add(one);
    }
    scene.add(group);
  }

  /** True when it has come, moved or gone. */
  showHover(at: Vector3 | null): boolean {
    return place(this.hover, at, 17);
  }

  showPicked(at: Vector3 | null): boolean {
    return place(this.picked, at, 12);
  }

  /** From the plant to the pointer; null: nothing is pulled. `force` as it is to be read. */
  showPull(from: Vector3 | null, to: Vector3 | null, force: string): void {
    this.spring.visible = from !== null && to !== null && from.distanceTo(to) > 0;
    if (from && to && this.spring.visible) {
      this.coil(from, to);
    }
    this.label.textContent = force;
    this.label.hidden = force === '';
  }

  /** Where the pointer is, CSS pixels in the canvas. */
  moveLabel(x: number, y: number): void {
    const { clientWidth } = this.canvas;
    const left = x > clientWidth - 110;
    this.label.style.translate = `${Math.round(left ? x - 18 : x + 18)}px ${Math.round(Math.max(4, y - 26))}px`;
    this.label.classList.toggle('left', left);
  }

  // a coil that faces the camera, with a straight piece at each end, as wide as so many pixels
  private coil(from: Vector3, to: Vector3): void {
    const { camera, path } = this;
    const pixel = (2 * Math.tan((camera.fov * Math.PI) / 360) * from.distanceTo(camera.position)) / this.canvas.clientHeight;
    const way = to.clone().sub(from);
    const length = way.length();
    const along = way.clone().divideScalar(length);
    const side = camera.getWorldDirection(new Vector3()).cross(along).normalize();
    const ends = Math.min(SPRING.straight * pixel, length / 3);
    const turns = Math.min(TURNS, Math.max(1, Math.round(length / (SPRING.turn * pixel)))); // a short one has few
    const radius = SPRING.coil * pixel * Math.min(1, length / (12 * pixel));
    path[0].copy(from);
    path[COUNT - 1].copy(to);
    for (let k = 1; k < COUNT - 1; k++) {
      const turn = (2 * Math.PI * turns * (k - 1)) / (COUNT - 3);
      const at = ends + ((length - 2 * ends) * (k - 1)) / (COUNT - 3);
      path[k].copy(from).addScaledVector(along, at).addScaledVector(side, radius * Math.sin(turn));
    }
    this.widen(0.5 * SPRING.width * pixel);
  }

  // each point of the path becomes two, left and right of it as the camera sees it
  private widen(half: number): void {
    const position = this.spring.geometry.getAttribute('position') as BufferAttribute;
    const [tangent, ahead, out] = [new Vector3(), this.camera.getWorldDirection(new Vector3()), new Vector3()];
    this.path.forEach((point, k) => {
      tangent.subVectors(this.path[Math.min(k + 1, COUNT - 1)], this.path[Math.max(k - 1, 0)]);
      tangent.cross(ahead).setLength(half);
      out.copy(point).add(tangent).toArray(position.array, 6 * k);
      out.copy(point).sub(tangent).toArray(position.array, 6 * k + 3);
    });
    position.needsUpdate = true;
  }
}

function mark(color: number, hollow: number): Points {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(3), 3));
  const channel = (shift: number): number => ((color >> shift) & 255) / 255;
  return new Points(geometry, new ShaderMaterial({
    vertexShader: markVertex,
    fragmentShader: markFragment,
    uniforms: {
      size: { value: 1 }, hollow: { value: hollow }, color: { value: new Vector3(channel(16), channel(8), channel(0)) } },
    transparent: true,
    depthTest: false,
  }));
}

function place(points: Points, at: Vector3 | null, pixels: number): boolean {
  const before = points.visible;
  const moved = at !== null && points.position.distanceToSquared(at) > 0;
  points.visible = at !== null;
  if (at) {
    points.position.copy(at);
    (points.material as ShaderMaterial).uniforms.size.value = pixels * Math.min(window.devicePixelRatio, 2);
  }
  return moved || before !== points.visible;
}

function ribbon(points: number): BufferGeometry {
  const geometry = new BufferGeometry();
  const index: number[] = [];
  for (let k = 0; k + 1 < points; k++) {
    index.push(2 * k, 2 * k + 1, 2 * k + 2, 2 * k + 1, 2 * k + 3, 2 * k + 2);
  }
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(6 * points), 3));
  geometry.setIndex(index);
  return geometry;
}
