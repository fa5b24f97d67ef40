// Runs a WebAssembly program under node, with the file system's root in sight so that tests can
// read the scenes: node run-wasm.mjs PROGRAM.wasm [ARGUMENT...]
//
// node 20 sometimes crashes when it frees a large memory, most often on its way out of start(). So a
// second process runs the program, tells how it ended through a pipe of its own and is then killed. When a
// signal ends it before, node itself has crashed, since faults of the program are exceptions: then it
// runs again.
import {spawnSync} from 'node:child_process';
import {readFileSync, writeSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {WASI} from 'node:wasi';

const TELL = 3; // the pipe
const INNER = '--inner';

function tell(status) {
  writeSync(TELL, String(status));
  process.kill(process.pid, 'SIGKILL');
}

function run([program, ...args]) {
  const wasi = new WASI({version: 'preview1', args: [program, ...args], env: {TEST_EXCEPT: process.env.TEST_EXCEPT ?? ''}, preopens: {'/': '/'}});
  const instance = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(program)), wasi.getImportObject());
  globalThis.inUse = [wasi, instance]; // node may collect them while the program runs
  const {memory, _start: main} = instance.exports;
  const start = () => {
    main();
    tell(0); // a program that fails leaves by exit, and start() tells with what
  };
  tell(wasi.start({exports: {memory, _start: start}}));
}

const args = process.argv.slice(2);
if (args[0] === INNER) {
  run(args.slice(1));
} else {
  const inner = [...process.execArgv, fileURLToPath(import.meta.url), INNER, ...args];
  let told = '';
  for (let left = 4, crashed = true; told === '' && crashed && left > 0; left--) {
    const {output, signal} = spawnSync(process.execPath, inner, {stdio: ['inherit', 'inherit', 'inherit', 'pipe']});
    told = output?.[TELL]?.toString() ?? '';
    crashed = signal !== null;
  }
  process.exitCode = told === '' ? 1 : Number(told);
}
