// SPDX-License-Identifier: MIT
// How much of the sky each vertex of a plant sees through the rest of the plant.
//
// The plant is taken for a cloud: every cell of a grid holds the extinction k = S/V, with S the
// mean projected area of the surface in it (half the area of a blade, a quarter of that of a closed
// stem) and V its volume. Light from one direction of the sky then fades by the law of
// Beer and Lambert,
//     T(cell) = T(cell above along the ray) exp(-k d),
// which one sweep from the top layer down computes for all cells. Sky = mean of T over directions.

import { BufferAttribute, InstancedBufferAttribute, InstancedMesh, Matrix4, Vector3 } from 'three';
import type { Mesh } from 'three';
import { isBlade } from './model';
import type { Model } from './model';

const LONGEST_SIDE = 56;
/** Light that leaves scatter on to each other reaches also the innermost ones. */
const SCATTERED = 0.16;

/** The surface whose light is asked for. */
type Plant = Pick<Model, 'meshes' | 'box'>;

interface Grid {
  nx: number;
  ny: number;
  nz: number;
  cell: number;
  origin: Vector3;
  values: Float32Array;
}

/** What is left of the sky inside a plant. */
export type Sky = Grid;

export function skyInside(model: Plant): Sky {
  const extinction = makeGrid(model);
  for (const mesh of model.meshes) {
    placesOf(mesh).forEach((toWorld) => addArea(extinction, mesh, toWorld));
  }
  const volume = extinction.cell ** 3;
  for (let i = 0; i < extinction.values.length; i++) {
    extinction.values[i] /= volume;
  }
  return skyThrough(extinction);
}

/**
 * Gives every mesh the vertex attribute `sky`, from 0 (enclosed) to 1 (open). Instanced meshes get
 * what each instance sees at its lower and upper end, `skyEnds`, and `along`, how far up each vertex is.
 */
export function addSkyAttribute(sky: Sky, meshes: Mesh[]): void {
  for (const mesh of meshes) {
    if (mesh instanceof InstancedMesh) {
      addEnds(sky, mesh);
    } else {
      addVertices(sky, mesh);
    }
  }
}

function seen(sky: Grid, p: Vector3): number {
  return Math.round(255 * (SCATTERED + (1 - SCATTERED) * sample(sky, p)));
}

function addVertices(sky: Grid, mesh: Mesh): void {
  const position = mesh.geometry.getAttribute('position') as BufferAttribute;
  const values = new Uint8Array(position.count);
  const p = new Vector3();
  for (let i = 0; i < position.count; i++) {
    values[i] = seen(sky, p.fromBufferAttribute(position, i).applyMatrix4(mesh.matrixWorld));
  }
  mesh.geometry.setAttribute('sky', new BufferAttribute(values, 1, true));
}

// organs stand along +Y of their own axes
function addEnds(sky: Grid, mesh: InstancedMesh): void {
  const position = mesh.geometry.getAttribute('position') as BufferAttribute;
  let [lowest, highest] = [0, 0];
  for (let i = 1; i < position.count; i++) {
    lowest = position.getY(i) < position.getY(lowest) ? i : lowest;
    highest = position.getY(i) > position.getY(highest) ? i : highest;
  }
  const low = position.getY(lowest);
  const length = Math.max(position.getY(highest) - low, 1e-9);
  const along = Uint8Array.from({ length: position.count }, (_, i) => Math.round((255 * (position.getY(i) - low)) / length));
  mesh.geometry.setAttribute('along', new BufferAttribute(along, 1, true));

  const ends = new Uint8Array(2 * mesh.count);
  const p = new Vector3();
  placesOf(mesh).forEach((toWorld, k) => {
    ends[2 * k] = seen(sky, p.fromBufferAttribute(position, lowest).applyMatrix4(toWorld));
    ends[2 * k + 1] = seen(sky, p.fromBufferAttribute(position, highest).applyMatrix4(toWorld));
  });
  mesh.geometry.setAttribute('skyEnds', new InstancedBufferAttribute(ends, 2, true));
}

/** Where a mesh stands: once, or in as many places as it has instances. */
function placesOf(mesh: Mesh): Matrix4[] {
  return mesh instanceof InstancedMesh
    ? Array.from({ length: mesh.count }, (_, k) => {
        const own = new Matrix4();
        mesh.getMatrixAt(k, own);
        return own.premultiply(mesh.matrixWorld);
      })
    : [mesh.matrixWorld];
}

function makeGrid(model: Plant): Grid {
  const size = model.box.getSize(new Vector3());
  const cell = Math.max(size.x, size.y, size.z, 1e-9) / LONGEST_SIDE;
  const cells = (length: number): number => Math.ceil(length / cell) + 3;
  const [nx, ny, nz] = [cells(size.x), cells(size.y), cells(size.z)];
  const origin = model.box.min.clone().subScalar(1.5 * cell);
  return { nx, ny, nz, cell, origin, values: new Float32Array(nx * ny * nz) };
}

// Triangles larger than a cell are cut into equal pieces, each counted at its middle.
function addArea(grid: Grid, mesh: Mesh, toWorld: Matrix4): void {
  const share = isBlade(mesh) ? 0.5 : 0.25;
  const position = mesh.geometry.getAttribute('position') as BufferAttribute;
  const index = mesh.geometry.index;
  const corners = index ? index.count : position.count;
  const corner = (at: number, out: Vector3): Vector3 =>
    out.fromBufferAttribute(position, index ? index.getX(at) : at).applyMatrix4(toWorld);
  const [a, b, c, p] = [new Vector3(), new Vector3(), new Vector3(), new Vector3()];
  for (let i = 0; i + 2 < corners; i += 3) {
    corner(i, a);
    corner(i + 1, b).sub(a);
    corner(i + 2, c).sub(a);
    const area = 0.5 * p.copy(b).cross(c).length();
    const longest = Math.max(b.length(), c.length(), p.copy(b).sub(c).length());
    const cuts = Math.min(24, Math.max(1, Math.ceil(longest / grid.cell)));
    const piece = (share * area) / (cuts * cuts);
    for (let u = 0; u < cuts; u++) {
      for (let v = 0; v < cuts - u; v++) {
        const pieces = v === cuts - u - 1 ? 1 : 2;
        const [s, t] = [(u + pieces / 3) / cuts, (v + pieces / 3) / cuts];
        splat(grid, p.copy(a).addScaledVector(b, s).addScaledVector(c, t), piece * pieces);
      }
    }
  }
}

// Cell centres lie at origin + (i + 1/2) cell.
function place(grid: Grid, p: Vector3): [number, number, number, number, number, number] {
  const inside = (x: number, n: number): number => Math.min(Math.max(x, 0), n - 1.001);
  const x = inside((p.x - grid.origin.x) / grid.cell - 0.5, grid.nx);
  const y = inside((p.y - grid.origin.y) / grid.cell - 0.5, grid.ny);
  const z = inside((p.z - grid.origin.z) / grid.cell - 0.5, grid.nz);
  const [i, j, k] = [Math.floor(x), Math.floor(y), Math.floor(z)];
  return [i, j, k, x - i, y - j, z - k];
}

function splat(grid: Grid, p: Vector3, amount: number): void {
  const [i, j, k, x, y, z] = place(grid, p);
  for (let corner = 0; corner < 8; corner++) {
    const [di, dj, dk] = [corner & 1, (corner >> 1) & 1, corner >> 2];
    const weight = (di ? x : 1 - x) * (dj ? y : 1 - y) * (dk ? z : 1 - z);
    grid.values[i + di + grid.nx * (k + dk + grid.nz * (j + dj))] += amount * weight;
  }
}

function sample(grid: Grid, p: Vector3): number {
  const [i, j, k, x, y, z] = place(grid, p);
  let sum = 0;
  for (let corner = 0; corner < 8; corner++) {
    const [di, dj, dk] = [corner & 1, (corner >> 1) & 1, corner >> 2];
    const weight = (di ? x : 1 - x) * (dj ? y : 1 - y) * (dk ? z : 1 - z);
    sum += weight * grid.values[i + di + grid.nx * (k + dk + grid.nz * (j + dj))];
  }
  return sum;
}

// One direction straight up and two rings; the weights follow the solid angle each stands for.
function skyThrough(extinction: Grid): Grid {
  const sky: Grid = { ...extinction, values: new Float32Array(extinction.values.length) };
  const rings = [
    { count: 1, elevation: 90, weight: 0.16 },
    { count: 6, elevation: 58, weight: 0.44 },
    { count: 8, elevation: 30, weight: 0.4 },
  ];
  for (const { count, elevation, weight } of rings) {
    const lean = 1 / Math.tan((elevation * Math.PI) / 180);
    // half of the way that a ray of the ring takes through a cell
    const half = (0.5 * extinction.cell) / Math.sin((elevation * Math.PI) / 180);
    const fade = extinction.values.map((k) => Math.exp(-k * half));
    for (let i = 0; i < count; i++) {
      const turn = (2 * Math.PI * (i + 0.25)) / count;
      addDirection(fade, sky, lean * Math.cos(turn), lean * Math.sin(turn), weight / count);
    }
  }
  return sky;
}

// (dx, dz): how far the ray to the sky moves sideways for each layer it climbs, in cells. A layer has
// a rim as wide as rays move in one, where the sky is open.
function addDirection(fade: Float32Array, sky: Grid, dx: number, dz: number, weight: number): void {
  const { nx, ny, nz, values } = sky;
  const [ix, iz] = [Math.floor(dx), Math.floor(dz)];
  const [fx, fz] = [dx - ix, dz - iz];
  const rim = 1 + Math.max(Math.abs(ix), Math.abs(iz));
  const width = nx + 2 * rim;
  let above = new Float32Array(width * (nz + 2 * rim)).fill(1);
  let here = above.slice();
  for (let j = ny - 1; j >= 0; j--) {
    for (let k = 0; k < nz; k++) {
      let at = rim + ix + width * (k + rim + iz);
      let to = rim + width * (k + rim);
      let cell = nx * (k + nz * j);
      for (let i = 0; i < nx; i++, at++, to++, cell++) {
        const front = (1 - fx) * above[at] + fx * above[at + 1];
        const rear = (1 - fx) * above[at + width] + fx * above[at + width + 1];
        // at the middle of a cell, half of it has been crossed
        const middle = ((1 - fz) * front + fz * rear) * fade[cell];
        values[cell] += weight * middle;
        here[to] = middle * fade[cell];
      }
    }
    [above, here] = [here, above];
  }
}
