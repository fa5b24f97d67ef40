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
  LinearMipmapNearestFilter,
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

/** Pixels on the longer side of a shadow in which all directions show; fewer pixels show fewer. */
export const GROUND_SIZE = 1024;
/** Directions: as many as the budget of triangles allows. The richer a plant, the less it shows. */
const FEWEST_DIRECTIONS = 36;
const MOST_DIRECTIONS = 96;
const TRIANGLE_BUDGET = 8e6;
/** Of a model that moves, whose shadow is drawn anew in every picture. */
const FEWEST_MOVING = 14;
const MOVING_BUDGET = 4e6;
/** For each picture, of a model that has just come and whose first picture is to come soon. */
const AT_A_TIME = 6;
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
  uniform vec2 whole;
  varying vec2 spot;
  void main() {
    // few directions stand for all: smooth out where one of them ends, more so for the sky
    vec2 texel = 1.0 / vec2(textureSize(covered, 0));
    vec2 lack = vec2(0.0);
    for (int i = 0; i < 4; i++) {
      vec2 offset = texel * (vec2(i % 2, i / 2) - 0.5);
      lack.r += textureLod(covered, spot + 3.0 * offset, 1.0).r;
      lack.g += textureLod(covered, spot + 10.0 * offset, 3.0).g;
    }
    lack *= 0.25 * whole;
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

/** A plane that carries the shadow of one model. Call draw() again when the model has moved, goOn() before each picture. */
export class GroundShadow {
  readonly plane: Mesh<PlaneGeometry, ShaderMaterial>;
  private readonly target: WebGLRenderTarget;
  private readonly renderer: WebGLRenderer;
  private readonly triangles: number;
  private readonly sharpness: number;
  private readonly flattener: ShaderMaterial;
  private readonly flat: Scene;
  private directions: Direction[] = [];
  private done = 0;

  constructor(renderer: WebGLRenderer, model: Model, options: { groundSize: number; hurried?: boolean }) {
    const resolution = options.groundSize;
    this.renderer = renderer;
    this.triangles = Math.max(model.triangles, 1);
    this.sharpness = Math.min(resolution / GROUND_SIZE, 1);
    const groundY = groundHeight(model);
    const { center, halfSize } = shadowBounds(model, groundY);
    const longest = Math.max(halfSize.x, halfSize.y);
    const pixels = (half: number): number => Math.max(64, Math.ceil((resolution * half) / longest));
    this.target = new WebGLRenderTarget(pixels(halfSize.x), pixels(halfSize.y), {
      type: HalfFloatType,
      format: RGFormat,
      minFilter: LinearMipmapNearestFilter,
      generateMipmaps: true,
      magFilter: LinearFilter,
    });
    this.flattener = makeFlattener({ center, halfSize, groundY });
    this.flat = flatCopies(model, this.flattener);
    const material = new ShaderMaterial({
      vertexShader: groundVertex,
      fragmentShader: groundFragment,
      uniforms: { covered: { value: this.target.texture }, whole: { value: new Vector2() } },
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
    this.begin(options.hurried ?? false);
    if (!options.hurried) {
      this.goOn(Infinity);
    }
  }

  /** `hurried`: fewer directions, for a picture that is gone in a moment. */
  draw(hurried: boolean): void {
    this.begin(hurried);
    this.goOn(Infinity);
  }

  private begin(hurried: boolean): void {
    const affordable = Math.round((hurried ? MOVING_BUDGET : TRIANGLE_BUDGET) / this.triangles);
    const fewest = hurried ? FEWEST_MOVING : FEWEST_DIRECTIONS;
    const most = hurried ? FEWEST_DIRECTIONS : MOST_DIRECTIONS;
    this.directions = directionsOf(Math.ceil(this.sharpness * MathUtils.clamp(affordable, fewest, most)));
    this.done = 0;
  }

  /** Draws directions that are left; some of them stand for all until then. */
  goOn(count = AT_A_TIME): void {
    const next = this.directions.slice(this.done, this.done + count);
    if (next.length > 0) {
      countCovered(this.renderer, this.flat, this.flattener, this.target, next, this.done === 0);
      this.done += next.length;
      const seen = this.directions.slice(0, this.done);
      const sum = (axis: 'x' | 'y'): number => seen.reduce((all, { share }) => all + share[axis], 0);
      (this.plane.material.uniforms.whole.value as Vector2).set(1 / Math.max(sum('x'), 1e-9), 1 / Math.max(sum('y'), 1e-9));
    }
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

/** Towards a part of the sun or of the sky; `share`: how much of the sun and of the sky that part is. */
interface Direction {
  towards: Vector3;
  share: Vector2;
  depth: number;
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
  directions: Direction[],
  anew: boolean,
): void {
  const { towards, share, depth } = material.uniforms;
  const camera = new OrthographicCamera();

  const autoClear = renderer.autoClear;
  const shadows = renderer.shadowMap.autoUpdate;
  renderer.autoClear = false;
  renderer.shadowMap.autoUpdate = false;
  renderer.setRenderTarget(target);
  renderer.setClearColor(0x000000, 0);
  if (anew) {
    renderer.clear();
  }
  directions.forEach((direction, i) => {
    towards.value.copy(direction.towards);
    share.value.copy(direction.share);
    depth.value = direction.depth;
    // once is enough for the smaller versions of the texture
    target.texture.generateMipmaps = i === directions.length - 1;
    renderer.render(scene, camera);
  });
  renderer.setRenderTarget(null);
  renderer.autoClear = autoClear;
  renderer.shadowMap.autoUpdate = shadows;
}

// in an order in which the first few stand for all
function directionsOf(total: number): Direction[] {
  const fromSun = Math.round(SUN_SHARE * total);
  const fromSky = total - fromSun;
  const place = (i: number): number => (i * Math.SQRT2) % 1;
  const sun = sunDirections(fromSun).map((towards, i) => ({ towards, share: new Vector2(1 / fromSun, 0), place: place(i) }));
  const sky = skyDirections(fromSky).map((towards, i) => ({ towards, share: new Vector2(0, 1 / fromSky), place: place(i) }));
  return [...sun, ...sky].sort((a, b) => a.place - b.place)
    .map(({ towards, share }, i) => ({ towards, share, depth: 0.9 - (1.8 * i) / total }));
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
