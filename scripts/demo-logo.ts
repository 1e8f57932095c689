import { crc32, deflateSync } from 'node:zlib';

const SIDE = 240;
const COLORS: readonly (readonly [number, number, number])[] = [
  [28, 95, 168],
  [27, 127, 92],
  [196, 88, 12],
  [138, 79, 191],
  [184, 51, 106],
  [15, 127, 156],
  [122, 106, 0],
  [64, 74, 86],
];
/** Shapes by their distance: true inside. From -1 to 1 in both directions. */
const SHAPES: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => Math.hypot(x, y) < 0.55 && Math.hypot(x, y) > 0.3,
  (x, y) => Math.abs(x) + Math.abs(y) < 0.6 && !(Math.abs(x) + Math.abs(y) < 0.25),
  (x, y) => Math.hypot(x - 0.2, y) < 0.4 || Math.hypot(x + 0.2, y) < 0.4,
  (x, y) => Math.abs(y) < 0.5 && Math.abs(x) < 0.5 && (x + y > 0.1 || x + y < -0.3),
  (x, y) => Math.hypot(x, y) < 0.55 && Math.sin(Math.atan2(y, x) * 3) > 0,
  (x, y) => y > -0.45 && y < 0.5 && Math.abs(x) < (y + 0.45) * 0.6,
];

/** A logo as PNG: a shape on a colour, both by the name. */
export function demoLogo(name: string): Buffer {
  const seed = crc32(name);
  const color = COLORS[seed % COLORS.length] ?? [0, 0, 0];
  const shape = SHAPES[(seed >>> 8) % SHAPES.length];
  const lines = Array.from({ length: SIDE }, (_, row) => {
    const line = Buffer.alloc(1 + SIDE * 3);
    for (let column = 0; column < SIDE; column += 1) {
      const isInside = shape?.((2 * column) / SIDE - 1, (2 * row) / SIDE - 1);
      line.set(isInside ? [255, 255, 255] : color, 1 + column * 3);
    }
    return line;
  });
  const head = Buffer.alloc(13);
  head.writeUInt32BE(SIDE, 0);
  head.writeUInt32BE(SIDE, 4);
  // 8 bits of red, green and blue.
  head.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.concat(lines))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
