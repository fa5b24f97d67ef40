// SPDX-License-Identifier: MIT
// Faults in a text: a sign in the gutter, the line shaded, the word underlined.

import { RangeSet, StateEffect, StateField } from '@codemirror/state';
import type { EditorState, Extension, Range, Text } from '@codemirror/state';
import { Decoration, EditorView, GutterMarker, gutter, hoverTooltip } from '@codemirror/view';
import type { DecorationSet } from '@codemirror/view';
import type { Fault } from './protocol';

/** In the place of all that were marked. */
export const setMarks = StateEffect.define<Fault[]>();

class Sign extends GutterMarker {
  private readonly text: string;

  constructor(text: string) {
    super();
    this.text = text;
  }

  override eq(other: Sign): boolean {
    return other.text === this.text;
  }

  override toDOM(): Node {
    const sign = document.createElement('span');
    sign.className = 'sign';
    sign.title = this.text;
    sign.textContent = '!';
    return sign;
  }
}

interface Marks {
  faults: Fault[];
  signs: RangeSet<Sign>;
  words: DecorationSet;
}

const NONE: Marks = { faults: [], signs: RangeSet.empty, words: Decoration.none };

/** Characters of a text in its first `bytes` bytes: the library counts those. */
function charactersIn(text: string, bytes: number): number {
  return new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, bytes)).length;
}

/** Where a fault is, and where the word there ends. */
export function placeOf(text: Text, { line, column }: Fault): { from: number; to: number } {
  const { from, text: content } = text.line(Math.min(Math.max(line, 1), text.lines));
  const at = Math.min(charactersIn(content, Math.max(column - 1, 0)), content.length);
  return { from: from + at, to: from + at + (/^\w+/.exec(content.slice(at))?.[0].length ?? Math.min(1, content.length - at)) };
}

function marksOf(text: Text, faults: Fault[]): Marks {
  const lines = new Map<number, string[]>();
  const words: Range<Decoration>[] = [];
  for (const fault of faults.filter(({ line }) => line > 0 && line <= text.lines)) {
    const { from, to } = placeOf(text, fault);
    const start = text.lineAt(from).from;
    if (!lines.has(start)) {
      words.push(Decoration.line({ class: 'wrong' }).range(start));
    }
    lines.set(start, [...(lines.get(start) ?? []), fault.text]);
    if (to > from) {
      words.push(Decoration.mark({ class: 'wrong-word' }).range(from, to));
    }
  }
  const signs = [...lines].map(([at, said]) => new Sign(said.join('\n')).range(at));
  return { faults, signs: RangeSet.of(signs, true), words: Decoration.set(words, true) };
}

const marks = StateField.define<Marks>({
  create: () => NONE,
  update: (value, transaction) => {
    const told = transaction.effects.find((effect) => effect.is(setMarks));
    if (told) {
      return marksOf(transaction.state.doc, told.value as Fault[]);
    }
    const { changes } = transaction;
    return transaction.docChanged
      ? { faults: value.faults, signs: value.signs.map(changes), words: value.words.map(changes) } : value;
  },
  provide: (field) => EditorView.decorations.from(field, ({ words }) => words),
});

// what is wrong here, above the word
function tooltip(state: EditorState, position: number): string | null {
  const line = state.doc.lineAt(position).number;
  const here = state.field(marks).faults.filter((fault) => fault.line === line);
  return here.length > 0 ? here.map(({ text }) => text).join('\n') : null;
}

export const faultMarks: Extension = [
  marks,
  gutter({ class: 'signs', markers: (view) => view.state.field(marks).signs }),
  hoverTooltip((view, position) => {
    const said = tooltip(view.state, position);
    return said === null ? null : {
      pos: position,
      above: true,
      create: () => {
        const dom = document.createElement('p');
        dom.className = 'said';
        dom.textContent = said;
        return { dom };
      },
    };
  }),
];
