import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { layout } from './layout.ts';
import { metaOf } from './meta.ts';

const fields = (...types: (string | [string, Record<string, unknown>])[]) =>
  metaOf({
    name: 'Note',
    fields: types.map((one, at) => {
      const [fieldtype, more] = typeof one === 'string' ? [one, {}] : one;
      return { fieldname: `f${at}`, fieldtype, label: `${fieldtype} ${at}`, ...more };
    }),
  }).fields;

const shape = (...types: Parameters<typeof fields>) =>
  layout(fields(...types)).map((tab) =>
    tab.sections.map((section) =>
      section.columns.map((column) => column.map((field) => field.fieldname).join(' ')),
    ),
  );

describe('the layout of a form', () => {
  test('fields without breaks are one column', () => {
    assert.deepEqual(shape('Data', 'Int'), [[['f0 f1']]]);
  });

  test('breaks make tabs, sections and columns', () => {
    assert.deepEqual(shape('Data', 'Column Break', 'Int', 'Section Break', 'Date', 'Tab Break', 'Link'), [
      [['f0', 'f2'], ['f4']],
      [['f6']],
    ]);
  });

  test('empty parts are omitted', () => {
    assert.deepEqual(shape('Section Break', 'Column Break', 'Data', 'Section Break', 'Tab Break'), [
      [['f2']],
    ]);
    assert.deepEqual(shape(), []);
  });

  test('a section knows whether it is collapsible', () => {
    const [tab] = layout(fields(['Section Break', { collapsible: 1, label: 'More' }], 'Data'));
    assert.deepEqual(
      tab?.sections.map(({ label, isCollapsible }) => [label, isCollapsible]),
      [['More', true]],
    );
  });
});
