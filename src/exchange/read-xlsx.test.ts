import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pack } from '../../test/support/zip.ts';
import { readXlsx } from './read-xlsx.ts';
import { csvRows } from './write-csv.ts';

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const TYPES = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** A workbook as spreadsheets save it: shared texts, styles, and the results of formulas. */
function workbook(rows: string, shared = '', strings = 'sharedStrings.xml'): ReturnType<typeof pack> {
  const named = strings.replace('&#119;', 'w');
  const relations = (...targets: readonly (readonly [string, string])[]) =>
    `${HEAD}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${targets
      .map(
        ([type, target], at) =>
          `<Relationship Id="rId${at + 1}" Type="${TYPES}/${type}" Target="${target}"/>`,
      )
      .join('')}</Relationships>`;
  return pack([
    {
      path: '[Content_Types].xml',
      text: `${HEAD}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>`,
    },
    { path: '_rels/.rels', text: relations(['officeDocument', 'xl/workbook.xml']) },
    {
      path: 'xl/workbook.xml',
      text: `${HEAD}<workbook ${MAIN} xmlns:r="${TYPES}"><sheets><sheet name="One" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    },
    {
      path: 'xl/_rels/workbook.xml.rels',
      text: relations(
        ['worksheet', 'worksheets/sheet1.xml'],
        ['sharedStrings', strings],
        ['styles', 'styles.xml'],
      ),
    },
    {
      path: `xl/${named}`,
      text: `${HEAD}<sst ${MAIN}><si><t>Day</t></si><si><r><t>Rich </t></r><r><t>text</t></r></si>${shared}</sst>`,
    },
    {
      path: 'xl/styles.xml',
      text: `${HEAD}<styleSheet ${MAIN}><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="21"/></cellXfs></styleSheet>`,
    },
    {
      path: 'xl/worksheets/sheet1.xml',
      text: `${HEAD}<worksheet ${MAIN}><sheetData>${rows}</sheetData></worksheet>`,
    },
  ]);
}

async function linesOf(bytes: Buffer) {
  async function* open() {
    yield bytes;
  }
  const lines = [];
  for await (const line of readXlsx(open)) lines.push(line);
  return lines;
}

test('a workbook of a spreadsheet: shared texts, dates by their style, results of formulas, and gaps', async () => {
  const rows =
    '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c></row>' +
    '<row r="4"><c r="A4" s="1"><v>46053</v></c><c r="B4" s="2"><v>0.5</v></c><c r="C4"><f>1+1</f><v>2</v></c><c r="D4" t="b"><v>1</v></c></row>';
  assert.deepEqual(await linesOf(await workbook(rows)), [
    { number: 1, cells: ['Day', null, 'Rich text'] },
    {
      number: 4,
      cells: [new Date('2026-01-31T00:00:00Z'), new Date('1899-12-31T12:00:00Z'), 2, true],
    },
  ]);
});

test('dates and times of a workbook are written as their cells show them', () => {
  const cells = ['2026-01-31T00:00:00Z', '2026-01-31T10:11:12.5Z', '1899-12-31T10:11:12Z'].map(
    (one) => new Date(one),
  );
  assert.equal(csvRows([cells]), '2026-01-31,2026-01-31 10:11:12.500,10:11:12\r\n');
});

test('a zip bomb is refused before it is unpacked', async () => {
  const texts = await workbook('', `<si><t>${'a'.repeat(33 * 1024 * 1024)}</t></si>`);
  assert.ok(texts.length < 100_000);
  await assert.rejects(linesOf(texts), { message: /unpacks to more than 33554432 bytes of shared texts/ });
  const renamed = await workbook('', `<si><t>${'a'.repeat(33 * 1024 * 1024)}</t></si>`, 'other.xml');
  await assert.rejects(linesOf(renamed), { message: /unpacks to more than 33554432 bytes of shared texts/ });
});

for (const target of ['worksheets/s.xml', '&#119;orksheets/s.xml', 'strings.bin']) {
  test(`shared texts at ${target}, where nothing counts them, are refused`, async () => {
    await assert.rejects(linesOf(await workbook('', '', target)), {
      message: 'The file is not an Excel workbook (.xlsx), or is damaged',
    });
  });
}

test('an archive whose sizes are false is refused', async () => {
  const bytes = await workbook('<row r="1"><c r="A1"><v>1</v></c></row>');
  const name = Buffer.from('xl/worksheets/sheet1.xml');
  const directory = bytes.lastIndexOf(name) - 46;
  assert.equal(bytes.readUInt32LE(directory), 0x02014b50);
  bytes.writeUInt32LE(3, directory + 24);
  await assert.rejects(linesOf(bytes), {
    message: 'The file is not an Excel workbook (.xlsx), or is damaged',
  });
});

test('an archive with a comment is refused, because it could hold a second directory', async () => {
  const bytes = await workbook('');
  bytes.writeUInt16LE(3, bytes.length - 2);
  const commented = Buffer.concat([bytes, Buffer.from('abc')]);
  await assert.rejects(linesOf(commented), {
    message: 'The file is not an Excel workbook (.xlsx), or is damaged',
  });
});
