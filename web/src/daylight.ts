// SPDX-License-Identifier: MIT
// The light of a mild day: where the sun stands, what colour sun, sky and ground are, and the
// backdrop, a sky that passes softly into the ground at the horizon.

import {
  Color,
  DirectionalLight,
  HemisphereLight,
  Mesh,
  PlaneGeometry,
  ShaderMaterial,
  Vector3,
} from 'three';

/** Unit vector to the sun: front left of a camera that looks along -z, 50 degrees up. */
export const SUN = new Vector3(-0.62, 0, 0.5).normalize().multiplyScalar(Math.cos(0.87));
SUN.y = Math.sin(0.87);

/** The sun and its surrounding glare, as a cone for soft shadows: half angle in radians. */
export const SUN_SPREAD = 0.045;

const SUN_COLOR = 0xfff1dc;
const SKY_COLOR = 0xd3e4f5;
const BOUNCE_COLOR = 0xb5ab93;

export function makeSun(shadowMapSize: number): DirectionalLight {
  const sun = new DirectionalLight(SUN_COLOR, 3.6);
  sun.castShadow = true;
  sun.shadow.mapSize.set(shadowMapSize, shadowMapSize);
  return sun;
}

export function makeSkyLight(): HemisphereLight {
  return new HemisphereLight(SKY_COLOR, BOUNCE_COLOR, 3.2);
}

/** Colours of the backdrop as they appear on the screen, from straight up to straight down. */
export interface Backdrop {
  zenith: number;
  sky: number;
  horizon: number;
  ground: number;
}

export const DAY: Backdrop = { zenith: 0x5e9bd6, sky: 0xb4d3ec, horizon: 0xf4f5f0, ground: 0xe0dfd3 };
/** For pages that are dark: the light on the plant is the same. */
export const DUSK: Backdrop = { zenith: 0x263645, sky: 0x3d4f5c, horizon: 0x6b716f, ground: 0x5b5b53 };

const backdropVertex = /* glsl */ `
  varying vec3 ray;
  void main() {
    vec4 far = inverse(projectionMatrix) * vec4(position.xy, 1.0, 1.0);
    ray = transpose(mat3(viewMatrix)) * (far.xyz / far.w);
    gl_Position = vec4(position.xy, 1.0, 1.0);
  }`;

const backdropFragment = /* glsl */ `
  uniform vec3 zenith, sky, horizon, ground;
  uniform float grain;
  varying vec3 ray;
  void main() {
    float up = normalize(ray).y;
    vec3 low = mix(horizon, sky, smoothstep(-0.04, 0.16, up));
    vec3 above = mix(low, zenith, smoothstep(0.05, 0.8, up));
    vec3 color = mix(above, ground, smoothstep(-0.01, -0.2, up));
    // half a step of ordered noise hides the bands of a slow gradient
    float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
    gl_FragColor = vec4(color + grain * (noise - 0.5) / 255.0, 1.0);
  }`;

export function paintBackdrop(backdrop: Mesh, colors: Backdrop): void {
  const { uniforms } = backdrop.material as ShaderMaterial;
  for (const [name, hex] of Object.entries(colors)) {
    const { r, g, b } = new Color().setHex(hex, '');
    (uniforms[name].value as Vector3).set(r, g, b);
  }
}

/** Drawn behind everything. `grain` 0 makes it smooth, for small picture files. */
export function makeBackdrop(grain: number): Mesh {
  const names = Object.keys(DAY) as (keyof Backdrop)[];
  const material = new ShaderMaterial({
    vertexShader: backdropVertex,
    fragmentShader: backdropFragment,
    uniforms: {
      ...Object.fromEntries(names.map((name) => [name, { value: new Vector3() }])),
      grain: { value: grain },
    },
    depthTest: false,
    depthWrite: false,
    toneMapped: false,
  });
  const backdrop = new Mesh(new PlaneGeometry(2, 2), material);
  backdrop.frustumCulled = false;
  backdrop.renderOrder = -1;
  paintBackdrop(backdrop, DAY);
  return backdrop;
}
