// SPDX-License-Identifier: MIT
// The library as a WebAssembly module: its functions, its memory, texts in and out. Works in a
// page, in a worker and under node alike.

/** Functions of src/web/*.c. Addresses and sizes are plain numbers. */
export interface Exports {
  memory: WebAssembly.Memory;
  _initialize(): void;
  web_take(size: number): number;
  web_give(block: number): void;
  web_fault_count(): number;
  web_fault_line(k: number): number;
  web_fault_column(k: number): number;
  web_fault_file(k: number): number;
  web_fault_text(k: number): number;
  web_status_text(status: number): number;
  web_clear_files(): void;
  web_add_file(name: number, text: number, size: number): number;
  web_check(name: number): number;
  web_begin(file: number, text: number, size: number): number;
  web_map(line: number, column: number): number;
  web_list_of(line: number, column: number): number;
  web_end(): number;
  web_key(text: number, size: number, line: number, column: number): number;
  web_scalar(text: number, size: number, quoted: number, line: number, column: number): number;
  web_anchor(name: number, line: number, column: number): number;
  web_alias(name: number, line: number, column: number): number;
  web_fail(line: number, column: number, message: number): number;
  web_open(file: number): number;
  web_scene_name(): number;
  web_scene_text(): number;
  web_object_count(): number;
  web_object_name(object: number): number;
  web_solver(object: number): number;
  web_solver_name(solver: number): number;
  web_integrator(object: number): number;
  web_load_count(): number;
  web_load_kind(load: number): number;
  web_solver_integrators(solver: number): number;
  web_weights(object: number): number;
  web_get(path: number): number;
  web_set(path: number, value: number): number;
  web_set_integrator(object: number, integrator: number): number;
  web_step(): number;
  web_actor_count(): number;
  web_actor_name(actor: number): number;
  web_actor_object(actor: number): number;
  web_actor_segments(actor: number): number;
  web_actor_dofs(actor: number): number;
  web_segments(actor: number): number;
  web_poses(): number;
  web_origins(actor: number): number;
  web_moments(): number;
  web_clusters(): number;
  web_adapted(): number;
  web_draw(): number;
  web_strokes(): number;
  web_time(): number;
  web_dt(): number;
  web_iterations(): number;
  web_actor_steps(): number;
  web_energy(): number;
  web_frequency(actor: number): number;
  web_wind(count: number, points: number): number;
  web_grab(actor: number, segment: number, px: number, py: number, pz: number, x: number, y: number, z: number, stiffness: number): void;
  web_grab_to(x: number, y: number, z: number): void;
  web_release(): void;
  web_twist(actor: number, segment: number, torque: number): void;
  web_save_size(): number;
  web_save(out: number): void;
  web_restore(bytes: number, size: number): number;
  web_mesh_of(actor: number): number;
  web_part_count(mesh: number): number;
  web_part(mesh: number, part: number): number;
  web_far(mesh: number): number;
  web_bind(actor: number): number;
  web_collider_count(): number;
  web_prop(collider: number): number;
  web_collider_poses(): number;
  web_arrows(out: number): void;
  web_frame_size(): number;
  web_frame(out: number): void;
  web_glb(frames: number, count: number, fps: number): number;
}

const NOT_SUPPORTED = 52; // as WASI numbers it
const BAD_FILE = 8;
const CHARACTER_DEVICE = 2;

export class Module {
  readonly call: Exports;
  private readonly encoder = new TextEncoder();
  private readonly decoder = new TextDecoder();
  private written: Uint8Array[] | null = null;

  private constructor(call: Exports) {
    this.call = call;
  }

  static async load(bytes: BufferSource): Promise<Module> {
    const compiled = await WebAssembly.compile(bytes);
    let self: Module | null = null;
    // the library writes one kind of file, to standard output; it has no other window to the world
    const system: Record<string, (...args: number[]) => number> = {};
    for (const { name } of WebAssembly.Module.imports(compiled)) {
      system[name] = () => NOT_SUPPORTED;
    }
    system.fd_prestat_get = () => BAD_FILE;
    system.fd_close = () => 0;
    system.fd_write = (file, list, count, done) => self!.takeWritten(file, list, count, done);
    system.fd_fdstat_get = (_file, out) => {
      new Uint8Array(self!.call.memory.buffer, out, 24).fill(0)[0] = CHARACTER_DEVICE;
      return 0;
    };
    system.proc_exit = () => {
      throw new Error('the module has ended itself');
    };
    const instance = await WebAssembly.instantiate(compiled, { wasi_snapshot_preview1: system });
    self = new Module(instance.exports as unknown as Exports);
    self.call._initialize();
    return self;
  }

  // ---- memory -----------------------------------------------------------------------------------

  floats(address: number, count: number): Float32Array {
    return new Float32Array(this.call.memory.buffer, address, count);
  }

  doubles(address: number, count: number): Float64Array {
    return new Float64Array(this.call.memory.buffer, address, count);
  }

  integers(address: number, count: number): Int32Array {
    return new Int32Array(this.call.memory.buffer, address, count);
  }

  words(address: number, count: number): Uint32Array {
    return new Uint32Array(this.call.memory.buffer, address, count);
  }

  bytes(address: number, count: number): Uint8Array {
    return new Uint8Array(this.call.memory.buffer, address, count);
  }

  take(size: number): number {
    const block = this.call.web_take(size);
    if (block === 0) {
      throw new Error('out of memory');
    }
    return block;
  }

  // ---- texts ------------------------------------------------------------------------------------

  text(address: number): string {
    const all = new Uint8Array(this.call.memory.buffer);
    return this.decoder.decode(all.slice(address, all.indexOf(0, address)));
  }

  /** A block with the text and a zero byte, and its size without that. Give it back. */
  put(text: string): [block: number, size: number] {
    const encoded = this.encoder.encode(text);
    const block = this.take(encoded.length + 1);
    this.bytes(block, encoded.length + 1).set(encoded);
    this.bytes(block + encoded.length, 1)[0] = 0;
    return [block, encoded.length];
  }

  /** Calls with a text that is there for the call only. */
  withText<T>(text: string, use: (block: number, size: number) => T): T {
    const [block, size] = this.put(text);
    try {
      return use(block, size);
    } finally {
      this.call.web_give(block);
    }
  }

  // ---- output -----------------------------------------------------------------------------------

  /** What the module writes to its standard output during a call. */
  collect(call: () => number): { status: number; data: Uint8Array<ArrayBuffer> } {
    this.written = [];
    try {
      const status = call();
      const data = new Uint8Array(this.written.reduce((sum, part) => sum + part.length, 0));
      let at = 0;
      for (const part of this.written) {
        data.set(part, at);
        at += part.length;
      }
      return { status, data };
    } finally {
      this.written = null;
    }
  }

  private takeWritten(file: number, list: number, count: number, done: number): number {
    if (file !== 1 || !this.written) {
      return BAD_FILE;
    }
    let total = 0;
    for (let k = 0; k < count; k++) {
      const [address, size] = this.words(list + 8 * k, 2);
      this.written.push(this.bytes(address, size).slice());
      total += size;
    }
    this.words(done, 1)[0] = total;
    return 0;
  }
}
