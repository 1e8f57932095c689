import { fromBuffer } from 'yauzl';

/** A cell as the file has it: its type, its number or text, and the format of its numbers. */
export interface XlsxCell {
  readonly type: string;
  readonly value: string;
  readonly format: string | null;
}

/** Reads the first sheet of a workbook from its XML, with nothing of the library that wrote it. */
export async function readXlsx(file: Buffer): Promise<{ sheet: string; rows: XlsxCell[][] }> {
  const parts = await unzip(file);
  const part = (name: string) => parts.get(name) ?? '';
  const formats = new Map(
    [...part('xl/styles.xml').matchAll(/<numFmt numFmtId="(\d+)" formatCode="([^"]*)"/g)].map(
      ([, id = '', code = '']) => [id, textOf(code)],
    ),
  );
  const [, styles = ''] = /<cellXfs[^>]*>(.*?)<\/cellXfs>/s.exec(part('xl/styles.xml')) ?? [];
  const ids = [...styles.matchAll(/<xf numFmtId="(\d+)"/g)].map(([, id = '']) => id);
  const [, sheet = ''] = /<sheet name="([^"]*)"/.exec(part('xl/workbook.xml')) ?? [];
  const rows = [...part('xl/worksheets/sheet1.xml').matchAll(/<row [^>]*>(.*?)<\/row>/gs)].map(
    ([, row = '']) =>
      [...row.matchAll(/<c r="[A-Z]+\d+"([^>]*?)(?:\/>|>(.*?)<\/c>)/gs)].map(
        ([, marks = '', inner = '']) => ({
          type: /t="(\w+)"/.exec(marks)?.[1] ?? 'n',
          value: textOf(/<(?:v|t)[^>]*>(.*?)<\/(?:v|t)>/s.exec(inner)?.[1] ?? ''),
          format: formats.get(ids[Number(/s="(\d+)"/.exec(marks)?.[1] ?? 0)] ?? '') ?? null,
        }),
      ),
  );
  return { sheet: textOf(sheet), rows };
}

function textOf(xml: string): string {
  return xml
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&');
}

function unzip(file: Buffer): Promise<ReadonlyMap<string, string>> {
  const parts = new Map<string, string>();
  return new Promise((resolve, reject) => {
    fromBuffer(file, { lazyEntries: true }, (error, zip) => {
      if (error) return reject(error);
      zip.on('error', reject);
      zip.on('end', () => resolve(parts));
      zip.on('entry', (entry) =>
        zip.openReadStream(entry, async (failure, stream) => {
          if (failure) return reject(failure);
          const chunks: Buffer[] = [];
          for await (const chunk of stream) chunks.push(chunk as Buffer);
          parts.set(entry.fileName, Buffer.concat(chunks).toString());
          zip.readEntry();
        }),
      );
      zip.readEntry();
    });
  });
}
