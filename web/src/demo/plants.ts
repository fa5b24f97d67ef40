// SPDX-License-Identifier: MIT
// The plants that scripts/demo-page.mjs has put into the page.

import { decodeBase64, gunzip } from '../bytes';
import { loadModel } from '../model';
import type { Model } from '../model';

/** What is said about a plant. */
export interface Label {
  name: string;
  title: string;
  text: string;
}

export function readLabels(): Label[] {
  return JSON.parse(document.getElementById('plants')!.textContent!) as Label[];
}

/** Unpacks plants when they are first asked for and keeps them. */
export class PlantStore {
  private readonly loading = new Map<number, Promise<Model>>();
  private readonly labels: Label[];

  constructor(labels: Label[]) {
    this.labels = labels;
  }

  load(index: number): Promise<Model> {
    let model = this.loading.get(index);
    if (!model) {
      model = this.unpack(index);
      this.loading.set(index, model);
    }
    return model;
  }

  private async unpack(index: number): Promise<Model> {
    const element = document.getElementById(`glb-${index}`)!;
    const bytes = await gunzip(decodeBase64(element.textContent!));
    // the text is several times the size of what is kept
    element.textContent = '';
    return loadModel(this.labels[index].name, bytes);
  }
}
