// SPDX-License-Identifier: MIT
// The colours of texts: L-systems with their view files, and scenes. What a text means and what is
// wrong with it is the library's to say; here only words are told apart.

import { StreamLanguage } from '@codemirror/language';
import type { StreamParser, StringStream } from '@codemirror/language';

const NUMBER = /^(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/;

/** The first of some patterns that fits, and the kind of word that it is. */
function firstOf(stream: StringStream, kinds: [RegExp, string | null][]): string | null {
  for (const [pattern, kind] of kinds) {
    if (stream.match(pattern)) {
      return kind;
    }
  }
  stream.next();
  return null;
}

// ---- models -------------------------------------------------------------------------------------

interface ModelState {
  comment: boolean;
}

/** Header items: words with a colon, at the start of a line. A production's predecessor is shorter. */
const ITEM = /^(?:[a-z][a-z]+(?: +[a-z%]+){1,3} *:|[a-z]{4,} *:|(?:ring +)?lsystem\b|endlsystem\b|(?:homomorphism|decomposition|production)\b)/i;

const MODEL: [RegExp, string | null][] = [
  [/^-+>/, 'keyword'],
  [/^"(?:[^"\\]|\\.)*"?/, 'string'],
  [/^#[\da-f]{6}\b/i, 'number'],
  [NUMBER, 'number'],
  [/^(?:if|else|while|do|for|array|external)\b/, 'keyword'],
  [/^(?:a?(?:sin|cos|tan)|atan2|exp|log|sqrt|floor|ceil|trunc|fabs|sign|func|curve[XYZ]|curveGAL|s?n?b?i?ran|srand|f?printf)(?=\()/,
    'variableName.function'],
  [/^[@?~][A-Za-z#;,]{1,2}/, 'typeName'],
  [/^[A-Za-z_]\w*(?=\()/, 'typeName'],
  [/^[A-Za-z_]\w*/, 'variableName'],
  [/^[[\]{}()]/, 'bracket'],
  [/^(?:[<>=!]=|&&|\|\||[-+*/^&|\\<>=!?:%$])/, 'operator'],
];

const model: StreamParser<ModelState> = {
  name: 'model',
  startState: () => ({ comment: false }),
  copyState: (state) => ({ ...state }),
  token: (stream, state) => {
    if (state.comment || stream.match('/*')) {
      state.comment = !stream.match(/^.*?\*\//);
      if (state.comment) {
        stream.skipToEnd();
      }
      return 'comment';
    }
    const before = stream.pos === 0 ? ' ' : stream.string[stream.pos - 1];
    if (/\s/.test(before) && stream.match(/^\/\/.*/)) {
      return 'comment';
    }
    if (stream.string.slice(0, stream.pos).trim() === '') {
      if (stream.match(/^#\s*(?:define|undef|include|if|ifdef|ifndef|elif|else|endif|error)\b/)) {
        return 'meta';
      }
      if (stream.match(ITEM)) {
        return 'heading';
      }
    }
    return stream.eatSpace() ? null : firstOf(stream, MODEL);
  },
  languageData: { commentTokens: { line: '//', block: { open: '/*', close: '*/' } } },
};

// ---- scenes -------------------------------------------------------------------------------------

const SCENE: [RegExp, string | null][] = [
  [/^#.*/, 'comment'],
  [/^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')(?=\s*:)/, 'propertyName'],
  [/^(?:"(?:[^"\\]|\\.)*"?|'(?:[^']|'')*'?)/, 'string'],
  [/^[A-Za-z_][\w -]*(?=:(?:\s|$))/, 'propertyName'],
  [/^[&*][\w-]+/, 'meta'],
  [/^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?=[\s,\]}]|$)/, 'number'],
  [/^(?:true|false|null|yes|no)\b/, 'keyword'],
  [/^[[\]{},]/, 'bracket'],
  [/^(?:-(?=\s)|:(?=\s|$)|<<)/, 'operator'],
  [/^[^\s,[\]{}#:]+/, null],
];

const scene: StreamParser<unknown> = {
  name: 'scene',
  token: (stream) => (stream.eatSpace() ? null : firstOf(stream, SCENE)),
  languageData: { commentTokens: { line: '#' } },
};

const LANGUAGES = { model: StreamLanguage.define(model), scene: StreamLanguage.define(scene) };

/** How the words of a file are told apart, by its name. */
export function languageOf(file: string): StreamLanguage<unknown> {
  return /\.(ya?ml|json)$/i.test(file) ? LANGUAGES.scene : LANGUAGES.model as StreamLanguage<unknown>;
}
