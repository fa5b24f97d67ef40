// SPDX-License-Identifier: MIT
// The field in which texts are written: CodeMirror with what texts of plants need, and no more.
// Every file has a state of its own, with its place and its way back.

import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { closeSearchPanel, highlightSelectionMatches, openSearchPanel, search, searchKeymap, searchPanelOpen } from '@codemirror/search';
import { Compartment, EditorState, Prec } from '@codemirror/state';
import type { Extension } from '@codemirror/state';
import {
  EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers,
} from '@codemirror/view';
import { classHighlighter } from '@lezer/highlight';
import { faultMarks, placeOf, setMarks } from './editor-faults';
import { languageOf } from './editor-language';
import type { Fault } from './protocol';

export class TextField {
  private readonly view: EditorView;
  private readonly wrapping = new Compartment();
  private readonly states = new Map<string, EditorState>();
  private readonly onChange: () => void;
  private readonly onGrow: () => void;
  private file = '';
  private wrapped = false;
  /** A text is being put in, and nobody types. */
  private silent = false;

  constructor(parent: HTMLElement, onChange: () => void, onGrow: () => void) {
    this.onChange = onChange;
    this.onGrow = onGrow;
    this.view = new EditorView({ parent, state: this.makeState('', '') });
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  get wraps(): boolean {
    return this.wrapped;
  }

  set wraps(on: boolean) {
    this.wrapped = on;
    this.view.dispatch({ effects: this.wrapping.reconfigure(on ? EditorView.lineWrapping : []) });
  }

  /** Shows a file. The same file with another text keeps its place, and Ctrl+Z goes back. */
  show(file: string, text: string): void {
    this.silent = true;
    if (file !== this.file) {
      this.states.set(this.file, this.view.state);
      this.view.setState(this.states.get(file) ?? this.makeState(file, text));
      this.file = file;
      this.wraps = this.wrapped;
    }
    if (this.text !== text) {
      const changes = difference(this.text, text);
      this.view.dispatch({ changes });
    }
    this.silent = false;
  }

  /** Other files of the same names come. */
  forget(): void {
    this.states.clear();
    this.file = '';
  }

  mark(faults: Fault[]): void {
    this.view.dispatch({ effects: setMarks.of(faults) });
  }

  goTo(fault: Fault): void {
    const { from } = placeOf(this.view.state.doc, fault);
    this.view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'center' }) });
    this.view.focus();
  }

  toggleSearch(): void {
    if (searchPanelOpen(this.view.state)) {
      closeSearchPanel(this.view);
    } else {
      openSearchPanel(this.view);
    }
  }

  /** After it was hidden, or its size has changed. */
  measure(): void {
    this.view.requestMeasure();
  }

  private makeState(file: string, text: string): EditorState {
    return EditorState.create({ doc: text, extensions: this.extensions(file) });
  }

  private extensions(file: string): Extension {
    const label = file ? `Text of ${file}` : 'Text of the model';
    return [
      faultMarks,
      lineNumbers(),
      highlightActiveLineGutter(),
      highlightActiveLine(),
      highlightSpecialChars(),
      history(),
      drawSelection(),
      EditorState.allowMultipleSelections.of(true),
      indentUnit.of(/\.(ya?ml|json)$/i.test(file) ? '  ' : '\t'),
      bracketMatching(),
      search({ top: true }),
      highlightSelectionMatches(),
      languageOf(file),
      syntaxHighlighting(classHighlighter),
      this.wrapping.of(this.wrapped ? EditorView.lineWrapping : []),
      Prec.highest(keymap.of([{ key: 'Mod-Enter', run: () => (this.onGrow(), true) }])),
      // the Tab key leads on through the page, as everywhere; Ctrl+] indents
      keymap.of([...searchKeymap, ...historyKeymap, ...defaultKeymap]),
      EditorView.contentAttributes.of({
        'aria-label': label, 'aria-describedby': 'faults', tabindex: '0', spellcheck: 'false', autocapitalize: 'off',
        autocorrect: 'off',
      }),
      EditorView.updateListener.of(({ docChanged }) => {
        if (docChanged && !this.silent) {
          this.onChange();
        }
      }),
    ];
  }
}

// the one stretch in which two texts differ, so that the cursor stays where it is
function difference(before: string, after: string): { from: number; to: number; insert: string } {
  const most = Math.min(before.length, after.length);
  let from = 0;
  while (from < most && before[from] === after[from]) {
    from++;
  }
  let end = 0;
  while (end < most - from && before[before.length - 1 - end] === after[after.length - 1 - end]) {
    end++;
  }
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) };
}
