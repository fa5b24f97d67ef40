// SPDX-License-Identifier: MIT
// A picture of the viewer, as it opens: node viewer-picture.mjs PAGE.html OUT.jpg

import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fail, launchBrowser } from './web-tools.mjs';

const [page, out] = process.argv.slice(2);
if (!page || !out) {
  fail('usage: node viewer-picture.mjs PAGE.html OUT.jpg', 2);
}
const browser = await launchBrowser();
const tab = await browser.newPage({ viewport: { width: 1100, height: 720 } });
await tab.goto(pathToFileURL(resolve(page)).href);
await tab.waitForTimeout(8000); // it has grown, and moved a little
await tab.screenshot({ path: out, type: 'jpeg', quality: 82, timeout: 300000 }); // drawn without a graphics card
await browser.close();
