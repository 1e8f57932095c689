import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ServiceError } from '../errors.ts';
import { holds, parseDependsOn, parseExpression } from './expression.ts';
import { FORM } from './vocabulary.ts';

const DOC = {
  status: 'Open',
  total: 120.5,
  qty: 0,
  disabled: 0,
  enabled: 1,
  note: '',
  nothing: null,
  code: '42',
  due: '2026-03-01',
  length: 7,
  items: [
    { item: 'A', qty: 2 },
    { item: 'B', qty: 5 },
  ],
  empty: [],
};

const TRUE = [
  // JavaScript's manner
  'doc.status=="Open" && doc.total>100',
  "doc.status === 'Open'",
  'doc.status !== "Closed"',
  '!doc.disabled',
  '!doc.disabled == true',
  'doc.items.length',
  'doc.items.length > 1 && doc.items[0].qty == 2',
  '!doc.empty.length',
  '["Open", "Paid"].includes(doc.status)',
  '["Open","Paid"].indexOf(doc.status) != -1',
  'in_list(["Open", "Paid"], doc.status)',
  'doc["status"] == "Open";',
  '(doc.nothing || 5) == 5',
  'doc.status.toLowerCase() == "open"',
  'doc.status.startsWith("Op") && doc.status.endsWith("en")',
  'cint(doc.code) + 1 === 43',
  'doc.enabled === true',
  '-doc.total < 0',
  'doc.due < "2026-03-02"',
  'doc.items.some(row => row.qty > 4) && !doc.items.some((row) => row.qty > 5)',
  'doc.items.every(row => row.item in ["A", "B"]) && !doc.items.every(row => "nothing" in row)',
  'doc.items.some(row => row.item == doc.items[1].item && row.qty === 5)',
  'doc.empty.every(row => row.qty) && !doc.empty.some(row => true)',
  'doc.items.some(a => doc.items.every(b => a.qty >= b.qty))',
  '["Open", "Paid"].some(state => state == doc.status)',
  'doc.items?.length == 2 && doc?.items?.[0]?.item == "A" && doc.status?.toLowerCase() == "open"',
  '!doc.nothing?.at?.all && doc.items?.some(row => row?.qty == 2)',
  // Python's manner
  'doc.status == "Open" and not doc.disabled',
  'doc.status in ("Open", "Closed")',
  'doc.status in ("Open",)',
  'doc.status not in ["Lost"]',
  'doc.nothing is None and doc.status is not None',
  'doc.get("status") == "Open"',
  'doc.get("unheard_of", 3) == 3',
  'len(doc.items) == 2',
  'not doc.disabled == 1',
  'not len(doc.empty)',
  '"pe" in doc.status',
  '"status" in doc',
  'doc.enabled == True or False',
  'doc.status.lower() == "open" and doc.status.strip().upper() == "OPEN"',
  'flt(doc.code) / 2 == 21 and doc.total % 100 == 20.5',
  // What both share, and where they are brought together
  'doc.note == "" and doc.note == None and doc.nothing == ""',
  'doc.code == 42',
  'doc.qty == 0 && doc.qty != ""',
  'doc.length == 7',
  '"it\\\'s" == "it\'s"',
  '1 + 2 * 3 == 7 and (1 + 2) * 3 == 9',
  '"a" + 1 == "a1"',
  // Jinja's manner
  'doc.items|length == 2',
  'doc.items | length > 1 and not doc.empty|length',
  '!doc.empty|length',
  'doc.status is defined and doc.nothing is not defined and doc.note is none',
  '("yes" if doc.disabled else "no") == "no"',
  '("yes" if doc.disabled) is none',
  'doc.status|lower == "open" and doc.status|upper|lower == "open"',
  'doc.nothing|default("x") == "x" and doc.qty|d(3) == 0 and doc.qty|default(3, true) == 3',
  'doc.items|map(attribute="item")|join("-") == "A-B" and doc.items|join(",", attribute="qty") == "2,5"',
  'doc.items|sum(attribute="qty") == 7 and (doc.items|first).qty == 2 and (doc.items|last).item == "B"',
  'doc.total|int == 120 and doc.code|float == 42 and -3|abs == 3',
  '2.675|round(2) >= 2.67 and 2.5|round == 3 and (0 - 2.5)|round == -3',
  '"a-b-a"|replace("a", "xx") == "xx-b-xx" and " a "|trim|title == "A" and "ab cd"|title == "Ab Cd"',
  '"oPEN"|capitalize == "Open" and "<&>"|e == "&#60;&#38;&#62;" and "a/b c"|urlencode == "a%2Fb%20c"',
  '[1, "a"]|tojson == "[1,\\"a\\"]" and doc.nothing|tojson == "null"',
  'doc.status ~ "-" ~ 1 ~ doc.nothing == "Open-1"',
  '"%.2f of %s, %d%%"|format(doc.total, doc.status, 9.7) == "120.50 of Open, 9%"',
];

const FALSE = [
  'doc.empty',
  'doc.note',
  'doc.unheard_of',
  'doc.status.some(letter => true)',
  'doc.nothing.every(row => true)',
  'doc.items.some(row => row.constructor || row.__proto__)',
  'doc.status.nothing.at.all',
  'doc.items[5].qty',
  'doc.items[0.5]',
  'doc.items[-1]',
  'doc.nothing > 0',
  'doc.nothing < 1',
  'doc.status > 5',
  '"a" * 2',
  'doc.total / 0',
  'doc.items == doc.items',
  'doc.items > 1',
  'doc == doc',
  'doc.constructor',
  'doc.__proto__',
  'doc["constructor"]["constructor"] or doc.status.constructor',
  'doc.get("toString")',
  '"toString" in doc',
  'doc.total.get("x")',
  'doc.total.lower()',
  'parent.status',
  'doc.constructor|length',
  'doc|map(attribute="constructor")|first',
  '"a"|abs',
  'doc.items|map(attribute="__proto__")|first',
];

const WRONG = [
  '',
  ' ',
  'doc.',
  'doc.status ==',
  'doc.status = "Open"',
  '"open',
  'frappe.session.user == "x"',
  'cur_frm.doc.x',
  'status == "Open"',
  'process.exit()',
  'doc.status.constructor("x")',
  'doc()',
  'doc.get()',
  'len()',
  'len(1, 2)',
  'len',
  'a ? b : c',
  'doc.a?.5',
  'doc.items.some()',
  'doc.items.some(row)',
  'doc.items.some(doc => doc.qty)',
  'doc.items.some(parent => true)',
  'doc.items.some(true => 1)',
  'doc.items.some((a, b) => a)',
  'doc.items.some(row => { return row.qty })',
  'doc.items.some(row => row.qty) && row.qty',
  'doc.items.filter(row => row.qty)',
  'row => row',
  'frappe.boot.user.name',
  `${'doc.items.some(x => '.repeat(40)}1${')'.repeat(40)}`,
  '1 < 2 < 3',
  'doc.a == not doc.b',
  '()',
  '(1',
  '[1',
  '{}',
  '`x`',
  '/x/.test(doc.a)',
  'doc.a; doc.b',
  'and',
  'not',
  '1e999',
  '"\\q"',
  'x'.repeat(1_001),
  `${'('.repeat(40)}1${')'.repeat(40)}`,
  `${'!'.repeat(900)}1`,
  `${'not '.repeat(240)}1`,
  Array.from({ length: 101 }, () => '1').join('+'),
  '\u{1F600}',
  '\ud800',
  'doc.items|constructor',
  'doc.items|map("item")',
  'doc.items|join(attribute=doc.a)',
  'doc.items|length(attribute="a")',
  'doc.status|replace("a")',
  'doc.a |',
  'doc.a if',
  '"x" if doc.a else',
  'doc.a is',
  'doc.a == defined',
  'frappe.utils.nowdate() < doc.due',
  'utils.flt(doc.total)',
  'previous.status',
  'doc.has_value_changed("status")',
  'doc.is_new()',
];

function refused(work: () => unknown): ServiceError {
  try {
    work();
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  return assert.fail('nothing was refused');
}

describe('an expression', () => {
  for (const source of TRUE) {
    test(`${source} is true`, () => assert.equal(holds(parseExpression(source), { doc: DOC }), true));
  }
  for (const source of FALSE) {
    test(`${source} is false`, () => assert.equal(holds(parseExpression(source), { doc: DOC }), false));
  }
  for (const source of WRONG) {
    test(`${source.slice(0, 40).toWellFormed()} is refused`, () => {
      const error = refused(() => parseExpression(source));
      assert.equal(error.type, 'ValidationError');
      assert.ok(error.message.length < 300);
    });
  }

  test('knows frappe.boot in conditions of forms alone', () => {
    const about = (source: string, boot?: object) =>
      holds(parseExpression(source, FORM), { doc: DOC, ...(boot && { boot: { ...boot } }) });
    assert.equal(about('frappe.boot.user.roles.includes("Buyer")', { user: { roles: ['Buyer'] } }), true);
    assert.equal(about('frappe.boot["user"]?.roles.some(role => role == "Buyer")', { user: {} }), false);
    assert.equal(about('frappe.boot.developer_mode || frappe.boot.constructor'), false);
    for (const wrong of ['frappe', 'frappe.boot()', 'frappe.session.user', 'frappe["boot"]', 'boot.user']) {
      refused(() => parseExpression(wrong, FORM));
    }
  });

  test('names the fields it needs', () => {
    assert.deepEqual(parseExpression('doc.rows.some(row => row.a == doc.b)').fields, ['rows', 'b']);
    const { fields, usesParent } = parseExpression(
      'doc.a == doc.get("b") and doc["c"].d and parent.e and doc.a',
    );
    assert.deepEqual(fields, ['a', 'b', 'c']);
    assert.equal(usesParent, true);
    assert.equal(parseExpression('doc.parent').usesParent, false);
  });

  test('of a row sees the document of the row', () => {
    const expression = parseExpression('parent.status == "Open" && doc.qty > 1');
    assert.equal(holds(expression, { doc: { qty: 2 }, parent: DOC }), true);
    assert.equal(holds(expression, { doc: { qty: 2 } }), false);
  });

  test('knows a document that was never saved', () => {
    const expression = parseExpression('doc.__islocal');
    assert.equal(holds(expression, { doc: DOC, isNew: true }), true);
    assert.equal(holds(expression, { doc: DOC }), false);
  });

  test('may use the document before the change, if it is known', () => {
    const vocabulary = { before: true, locals: new Set<string>() };
    const asked = (source: string) => parseExpression(source, vocabulary);
    const scope = {
      doc: { status: 'Open' },
      previous: { status: 'New' },
      hasChanged: (fieldname: string) => fieldname === 'status',
    };
    for (const source of [
      'doc.has_value_changed("status") and not doc.has_value_changed("total")',
      'previous.status == "New" and doc.status != previous.status',
      'doc.get_doc_before_save().status == "New" and not doc.is_new()',
    ]) {
      assert.equal(holds(asked(source), scope), true, source);
    }
    assert.equal(holds(asked('previous.status or doc.has_value_changed("x")'), { doc: {} }), false);
    assert.equal(holds(asked('doc.is_new()'), { doc: {}, isNew: true }), true);
    assert.deepEqual(asked('previous.a == doc.b or doc.has_value_changed("c")').fields, ['a', 'b', 'c']);
    for (const wrong of [
      'doc.has_value_changed(doc.a)',
      'doc.has_value_changed()',
      'doc.is_new(1)',
      'parent.is_new()',
    ]) {
      refused(() => asked(wrong));
    }
  });

  test('explains why calls of the server are invalid', () => {
    const { message } = refused(() => parseExpression('frappe.utils.nowdate() < doc.due'));
    assert.match(message, /unknown name "frappe" \(an expression sees only the document/);
  });

  test('stops at its limit of work', () => {
    const big = { text: 'a'.repeat(9_000), part: 'a'.repeat(8_999), long: 'x'.repeat(10_001) };
    refused(() =>
      holds(parseExpression(Array(20).fill('(doc.part + "b") in doc.text').join(' or ')), { doc: big }),
    );
    refused(() => holds(parseExpression('"y" in doc.long'), { doc: big }));
    refused(() => holds(parseExpression('doc.long + doc.long'), { doc: big }));
    const grown = Array(4).fill('|replace("a", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")').join('');
    refused(() => holds(parseExpression(`doc.text${grown}`), { doc: big }));
    refused(() =>
      holds(parseExpression('doc.many|join(doc.part)'), { doc: { ...big, many: Array(9_000).fill(1) } }),
    );
    const nested = 'doc.items.some(a => doc.items.some(b => doc.items.some(c => false)))';
    const hundred = { items: Array.from({ length: 100 }, () => ({})) };
    refused(() => holds(parseExpression(nested), { doc: hundred }));
    const rows = { items: Array.from({ length: 50_000 }, () => ({ a: 1 })) };
    assert.equal(holds(parseExpression('"a" in doc.items'), { doc: rows }), false);
  });
});

describe('depends_on', () => {
  test('is eval: and an expression, or a fieldname', () => {
    assert.equal(holds(parseDependsOn('eval:doc.status=="Open"'), { doc: DOC }), true);
    assert.equal(holds(parseDependsOn(' eval: !doc.disabled '), { doc: DOC }), true);
    assert.equal(holds(parseDependsOn('status'), { doc: DOC }), true);
    assert.equal(holds(parseDependsOn('items'), { doc: DOC }), true);
    assert.equal(holds(parseDependsOn('empty'), { doc: DOC }), false);
    assert.deepEqual(parseDependsOn('status').fields, ['status']);
  });

  test('refuses code', () => {
    refused(() => parseDependsOn('fn:is_open'));
    refused(() => parseDependsOn('eval:alert(1)'));
  });
});
