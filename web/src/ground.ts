// SPDX-License-Identifier: MIT
// The shadow on the ground, of a sun that is not a point and of the whole sky.
//
// The plant is flattened onto the ground along many directions, and the share of directions in
// which a spot is covered is how much light it lacks: red counts directions within the sun's cone,
// green directions spread over the sky by the cosine law. Shadows are thus sharp at the foot of a
// stem and soft under the crown, as outdoors. Every direction is drawn at its own constant depth,
// nearer than the one before: the depth test then lets each count once where leaves overlap.

import {
  AddEquation,
  CustomBlending,
  DstColorFactor,
  Group,
  HalfFloatType,
  InstancedMesh,
  LessDepth,
  LinearFilter,
  LinearMipmapLinearFilter,
  MathUtils,
  Mesh,
  OneFactor,
  OrthographicCamera,
  PlaneGeometry,
  RGFormat,
  Scene,
  ShaderMaterial,
  SkinnedMesh,
  Vector2,
  Vector3,
  WebGLRenderTarget,
  ZeroFactor,
  DoubleSide,
} from 'three';
import type { WebGLRenderer } from 'three';
import { SUN, SUN_SPREAD } from './daylight';
import type { Model } from './model';

/** Directions: as many as the budget of triangles allows. The richer a plant, the less it shows. */
const FEWEST_DIRECTIONS = 36;
const MOST_DIRECTIONS = 96;
const TRIANGLE_BUDGET = 8e6;
/** Of a model that moves, whose shadow is drawn anew in every picture. */
const FEWEST_MOVING = 14;
const MOVING_BUDGET = 4e6;
const SUN_SHARE = 0.4;
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));

const flattenVertex = /* glsl */ `
  #include <skinning_pars_vertex>
  uniform vec3 towards;
  uniform vec2 center, halfSize;
  uniform float groundY, depth;
  void main() {
    #include <skinbase_vertex>
    #include <begin_vertex>
    #include <skinning_vertex>
    vec4 p = vec4(transformed, 1.0);
    #ifdef USE_INSTANCING
      p = instanceMatrix * p;
    #endif
    p = modelMatrix * p;
    vec2 spot = p.xz - towards.xz * max(p.y - groundY, 0.0) / towards.y;
    gl_Position = vec4((spot - center) / halfSize, depth, 1.0);
  }`;

const flattenFragment = /* glsl */ `
  uniform vec2 share;
  void main() { gl_FragColor = vec4(share, 0.0, 1.0); }`;

const groundVertex = /* glsl */ `
  varying vec2 spot;
  void main() {
    spot = uv;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  }`;

// The ground is the backdrop; this plane only takes light away from it, by multiplication.
const groundFragment = /* glsl */ `
  uniform sampler2D covered;
  varying vec2 spot;
  void main() {
    // few directions stand for all: smooth out where one of them ends, more so for the sky
    vec2 texel = 1.0 / vec2(textureSize(covered, 0));
    vec2 lack = vec2(0.0);
    for (int i = 0; i < 9; i++) {
      vec2 offset = texel * vec2(float(i % 3) - 1.0, float(i / 3) - 1.0);
      lack.r += textureLod(covered, spot + 1.8 * offset, 0.8).r / 9.0;
      lack.g += textureLod(covered, spot + 6.0 * offset, 3.0).g / 9.0;
    }
    vec2 rim = smoothstep(vec2(0.0), vec2(0.1), min(spot, 1.0 - spot));
    lack *= rim.x * rim.y;
    vec3 light = 1.0 - lack.r * vec3(0.36, 0.34, 0.29) - lack.g * vec3(0.34, 0.34, 0.32);
    gl_FragColor = vec4(light, 1.0);
  }`;

/**
 * Height of the ground under a model. Models stand at 0, and leaves may reach a little below that;
 * what hangs lower, or floats, has the ground under its lowest part. A plane is the ground itself.
 */
export function groundHeight(model: Model): number {
  if (model.ground !== undefined) {
    return model.ground;
  }
  const { min, max } = model.box;
  const slack = 0.08 * (max.y - min.y);
  return min.y > 0 || min.y < -slack ? min.y : 0;
}

/** A plane that carries the shadow of one model. Call draw() again when the model has moved. */
export class GroundShadow {
  readonly plane: Mesh<PlaneGeometry, ShaderMaterial>;
  private readonly target: WebGLRenderTarget;
  private readonly renderer: WebGLRenderer;
  private readonly triangles: number;
  private readonly flattener: ShaderMaterial;
  private readonly flat: Scene;

  constructor(renderer: WebGLRenderer, model: Model, options: { groundSize: number; hurried?: boolean }) {
    const resolution = options.groundSize;
    this.renderer = renderer;
    this.triangles = Math.max(model.triangles, 1);
    const groundY = groundHeight(model);
    const { center, halfSize } = shadowBounds(model, groundY);
    const longest = Math.max(halfSize.x, halfSize.y);
    const pixels = (half: number): number => Math.max(64, Math.ceil((resolution * half) / longest));
    this.target = new WebGLRenderTarget(pixels(halfSize.x), pixels(halfSize.y), {
      type: HalfFloatType,
      format: RGFormat,
      minFilter: LinearMipmapLinearFilter,
      generateMipmaps: true,
      magFilter: LinearFilter,
    });
    this.flattener = makeFlattener({ center, halfSize, groundY });
    this.flat = flatCopies(model, this.flattener);
    this.draw(options.hurried ?? false);

    const material = new ShaderMaterial({
      vertexShader: groundVertex,
      fragmentShader: groundFragment,
      uniforms: { covered: { value: this.target.texture } },
      blending: CustomBlending,
      blendEquation: AddEquation,
      blendSrc: DstColorFactor,
      blendDst: ZeroFactor,
      side: DoubleSide,
      depthWrite: false,
      toneMapped: false,
    });
    this.plane = new Mesh(new PlaneGeometry(2, 2), material);
    this.plane.position.set(center.x, groundY, center.y);
    this.plane.scale.set(halfSize.x, halfSize.y, 1);
    // the texture's rows run along +z
    this.plane.rotation.x = Math.PI / 2;
  }

  /** `hurried`: fewer directions, for a picture that is gone in a moment. */
  draw(hurried: boolean): void {
    const affordable = Math.round((hurried ? MOVING_BUDGET : TRIANGLE_BUDGET) / this.triangles);
    const fewest = hurried ? FEWEST_MOVING : FEWEST_DIRECTIONS;
    const most = hurried ? FEWEST_DIRECTIONS : MOST_DIRECTIONS;
    const total = MathUtils.clamp(affordable, fewest, most);
    countCovered(this.renderer, this.flat, this.flattener, this.target, total);
  }

  /** Goes along with a model that wanders off. */
  moveBy(x: number, z: number): void {
    this.plane.position.x += x;
    this.plane.position.z += z;
    const center = this.flattener.uniforms.center.value as Vector2;
    center.set(center.x + x, center.y + z);
  }

  dispose(): void {
    this.target.dispose();
    this.flattener.dispose();
    this.plane.geometry.dispose();
    this.plane.material.dispose();
  }
}

interface Bounds {
  center: Vector2;
  halfSize: Vector2;
}

// the shadow cast by the middle of the sun and the plant's own outline, with room for the soft rim
function shadowBounds(model: Model, groundY: number): Bounds {
  const low = new Vector2(Infinity, Infinity);
  const high = new Vector2(-Infinity, -Infinity);
  const { points } = model;
  const take = (x: number, z: number): void => {
    low.set(Math.min(low.x, x), Math.min(low.y, z));
    high.set(Math.max(high.x, x), Math.max(high.y, z));
  };
  for (let i = 0; i < points.length; i += 3) {
    const rise = Math.max(points[i + 1] - groundY, 0) / SUN.y;
    take(points[i], points[i + 2]);
    take(points[i] - SUN.x * rise, points[i + 2] - SUN.z * rise);
  }
  const halfSize = high.clone().sub(low).multiplyScalar(0.5);
  halfSize.addScalar(0.3 * Math.max(halfSize.x, halfSize.y) + 1e-6);
  return { center: low.add(high).multiplyScalar(0.5), halfSize };
}

function makeFlattener(bounds: Bounds & { groundY: number }): ShaderMaterial {
  return new ShaderMaterial({
    vertexShader: flattenVertex,
    fragmentShader: flattenFragment,
    uniforms: {
      towards: { value: new Vector3() },
      share: { value: new Vector2() },
      depth: { value: 0 },
      center: { value: bounds.center },
      halfSize: { value: bounds.halfSize },
      groundY: { value: bounds.groundY },
    },
    blending: CustomBlending,
    blendEquation: AddEquation,
    blendSrc: OneFactor,
    blendDst: OneFactor,
    depthFunc: LessDepth,
    side: DoubleSide,
  });
}

function countCovered(
  renderer: WebGLRenderer,
  scene: Scene,
  material: ShaderMaterial,
  target: WebGLRenderTarget,
  total: number,
): void {
  const { towards, share, depth } = material.uniforms;
  const camera = new OrthographicCamera();

  const autoClear = renderer.autoClear;
  const shadows = renderer.shadowMap.autoUpdate;
  renderer.autoClear = false;
  renderer.shadowMap.autoUpdate = false;
  renderer.setRenderTarget(target);
  renderer.setClearColor(0x000000, 0);
  renderer.clear();
  const fromSun = Math.round(SUN_SHARE * total);
  const directions = [...sunDirections(fromSun), ...skyDirections(total - fromSun)];
  directions.forEach((direction, i) => {
    towards.value.copy(direction);
    share.value.set(i < fromSun ? 1 / fromSun : 0, i < fromSun ? 0 : 1 / (total - fromSun));
    depth.value = 0.9 - (1.8 * i) / directions.length;
    // once is enough for the smaller versions of the texture
    target.texture.generateMipmaps = i === directions.length - 1;
    renderer.render(scene, camera);
  });
  renderer.setRenderTarget(null);
  renderer.autoClear = autoClear;
  renderer.shadowMap.autoUpdate = shadows;
}

function flatCopies(model: Model, material: ShaderMaterial): Scene {
  const scene = new Scene();
  const group = new Group();
  for (const mesh of model.meshes) {
    const copy = flatCopy(mesh, material);
    copy.matrixAutoUpdate = false;
    copy.matrix = copy.matrixWorld = mesh.matrixWorld; // they move as one
    copy.frustumCulled = false;
    group.add(copy);
  }
  scene.add(group);
  return scene;
}

function flatCopy(mesh: Mesh, material: ShaderMaterial): Mesh {
  if (mesh instanceof InstancedMesh) {
    const copy = new InstancedMesh(mesh.geometry, material, mesh.count);
    copy.instanceMatrix = mesh.instanceMatrix; // they move as one
    copy.boundingSphere = mesh.boundingSphere;
    return copy;
  }
  if (!(mesh instanceof SkinnedMesh)) {
    return new Mesh(mesh.geometry, material);
  }
  const copy = new SkinnedMesh(mesh.geometry, material);
  copy.bind(mesh.skeleton, mesh.bindMatrix);
  copy.boundingSphere = mesh.boundingSphere;
  return copy;
}

// evenly over a disc across the direction to the sun
function sunDirections(count: number): Vector3[] {
  const right = new Vector3(0, 1, 0).cross(SUN).normalize();
  const up = SUN.clone().cross(right);
  return Array.from({ length: count }, (_, i) => {
    const r = SUN_SPREAD * Math.sqrt((i + 0.5) / count);
    const angle = i * GOLDEN_ANGLE;
    return SUN.clone()
      .addScaledVector(right, r * Math.cos(angle))
      .addScaledVector(up, r * Math.sin(angle))
      .normalize();
  });
}

// evenly over the unit disc, lifted to the half sphere: that is the cosine law
function skyDirections(count: number): Vector3[] {
  return Array.from({ length: count }, (_, i) => {
    const r = Math.sqrt((i + 0.5) / count);
    const angle = i * GOLDEN_ANGLE;
    return new Vector3(r * Math.cos(angle), Math.sqrt(1 - r * r), r * Math.sin(angle));
  });
}
