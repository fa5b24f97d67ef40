// Runs a WebAssembly program under node, with the file system's root in sight so that tests can
// read the scenes: node run-wasm.mjs PROGRAM.wasm [ARGUMENT...]
import {readFile} from 'node:fs/promises';
import {WASI} from 'node:wasi';

const [program, ...args] = process.argv.slice(2);
const wasi = new WASI({
  version: 'preview1',
  args: [program, ...args],
  env: {},
  preopens: {'/': '/'},
});
const module = await WebAssembly.compile(await readFile(program));
const instance = await WebAssembly.instantiate(module, wasi.getImportObject());
process.exitCode = wasi.start(instance);
