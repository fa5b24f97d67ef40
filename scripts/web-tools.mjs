// SPDX-License-Identifier: MIT
// What the scripts around web/ share: its packages, its bundler, a browser, and how to stop.

import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

export const webFolder = fileURLToPath(new URL('../web/', import.meta.url));

const requireFromWeb = createRequire(new URL('../web/package.json', import.meta.url));

/** A package of web/package.json; these scripts live outside its folder. */
export function webPackage(name) {
  try {
    return requireFromWeb(name);
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND') {
      throw error;
    }
    return fail(`the package ${name} is missing: run "npm ci" in web/`, 1);
  }
}

/** The path of a file in a package of web/package.json. */
export const webFile = (name) => requireFromWeb.resolve(name);

/** Bundles an entry file of web/src (a script or a style sheet) into one text. */
export async function bundle(entry) {
  const result = await webPackage('esbuild').build({
    absWorkingDir: webFolder,
    entryPoints: [`src/${entry}`],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'eof',
    logLevel: 'warning',
  });
  return result.outputFiles[0].text;
}

/** The library as a module for node, with web/src/viewer's way to tell it scenes. */
export async function webCore() {
  const { runInThisContext } = await import('node:vm');
  const result = await webPackage('esbuild').build({
    absWorkingDir: webFolder,
    stdin: {
      contents: ['kinds', 'module', 'organs', 'told'].map((name) => `export * from './${name}';`).join(''),
      resolveDir: `${webFolder}src/viewer`,
      loader: 'ts',
    },
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'tendrilCore',
    platform: 'browser',
    target: 'es2022',
    logLevel: 'warning',
  });
  runInThisContext(result.outputFiles[0].text);
  return globalThis.tendrilCore;
}

/** Headless Chromium that draws WebGL in software and speaks to nobody. */
export function launchBrowser(options = []) {
  return webPackage('playwright-core').chromium.launch({
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
    args: [
      '--headless',
      '--no-sandbox',
      '--use-angle=swiftshader',
      '--enable-unsafe-swiftshader',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      ...options,
    ],
  });
}

export function fail(message, code) {
  console.error(message);
  process.exit(code);
}

/** A script's options, after those of parseArgs, and the files that it is given; --help prints the usage. */
export function readOptions(usage, options) {
  let parsed;
  try {
    parsed = parseArgs({ allowPositionals: true, options: { ...options, help: { type: 'boolean' } } });
  } catch (error) {
    return fail(`${error.message}\n${usage}`, 2);
  }
  if (parsed.values.help) {
    console.log(usage);
    process.exit(0);
  }
  return { values: parsed.values, files: parsed.positionals };
}
