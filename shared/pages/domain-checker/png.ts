/** Pictures of a few colours as PNG (RFC 2083), for clients that show no SVG. */
import { crc32, deflateSync } from 'node:zlib';
import type { Point, Stroke } from './glyphs.ts';

/** As `#rrggbb`. */
type Colour = string;

/** The shades between two colours, so that edges are smooth. A palette has at most 256 colours (RFC 2083 section 4.1.2). */
const SHADES = 64;

export interface Picture {
  /** Fills a rectangle. @param ink The index of its pair of colours. */
  readonly fill: (area: Area, ink: number) => void;
  /** Draws lines with round ends. `size` is the length of a unit, and `thickness` that of the pen, in pixels. */
  readonly draw: (strokes: readonly Stroke[], pen: Pen, ink: number) => void;
  readonly png: () => Uint8Array;
}

interface Area {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

interface Pen {
  readonly left: number;
  readonly top: number;
  readonly size: number;
  readonly thickness: number;
}

/**
 * An empty picture.
 * @param inks Up to four pairs of colours: the ground that something is drawn on, and what it is drawn with. The first
 * ground is that of the picture.
 */
export function picture(
  width: number,
  height: number,
  inks: readonly (readonly [ground: Colour, ink: Colour])[],
): Picture {
  const pixels = new Uint8Array(width * height);
  const shade = (x: number, y: number, ink: number, covered: number) => {
    const at = y * width + x;
    const [before = 0, index] = [pixels[at], ink * SHADES + Math.round(covered * (SHADES - 1))];
    // Where lines of one ink overlap, the darker one counts.
    pixels[at] = Math.floor(before / SHADES) === ink ? Math.max(before, index) : index;
  };
  return {
    fill({ left, top, width: across, height: down }, ink) {
      for (let y = top; y < top + down; y += 1) {
        pixels.fill(ink * SHADES + SHADES - 1, y * width + left, y * width + left + across);
      }
    },
    draw(strokes, { left, top, size, thickness }, ink) {
      const reach = thickness / 2 + 1;
      const at = ({ x, y }: Point): Point => ({ x: left + x * size, y: top + y * size });
      for (const [from, to] of strokes.flatMap((stroke) => segments(stroke.map(at)))) {
        for (
          let y = Math.floor(Math.min(from.y, to.y) - reach);
          y <= Math.max(from.y, to.y) + reach;
          y += 1
        ) {
          for (
            let x = Math.floor(Math.min(from.x, to.x) - reach);
            x <= Math.max(from.x, to.x) + reach;
            x += 1
          ) {
            // A pixel at the edge of the line has a shade by how much of it the line covers.
            const covered = Math.min(1, thickness / 2 + 0.5 - distance({ x, y }, from, to));
            if (covered > 0 && x >= 0 && y >= 0 && x < width && y < height) shade(x, y, ink, covered);
          }
        }
      }
    },
    png: () => encoded(width, height, inks.flatMap(shadesOf), pixels),
  };
}

/** The parts of a line; a dot is one without length. */
function segments(line: Stroke): readonly (readonly [Point, Point])[] {
  return line.flatMap((from, index) => {
    const to = line[index + 1];
    if (to !== undefined) return [[from, to] as const];
    return line.length === 1 ? [[from, from] as const] : [];
  });
}

/** From a point to the nearest one between two others. */
function distance({ x, y }: Point, from: Point, to: Point): number {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = dx * dx + dy * dy;
  const along = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - from.x) * dx + (y - from.y) * dy) / length));
  return Math.hypot(x - from.x - along * dx, y - from.y - along * dy);
}

function shadesOf([ground, ink]: readonly [Colour, Colour]): readonly number[][] {
  const [from, to] = [channels(ground), channels(ink)];
  return Array.from({ length: SHADES }, (_, shade) =>
    from.map((value, index) => Math.round(value + (((to[index] ?? 0) - value) * shade) / (SHADES - 1))),
  );
}

const channels = (colour: Colour): readonly number[] =>
  [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** Eight bits per pixel, which are an index of the palette (RFC 2083 section 4.1.1). */
const FORMAT = [8, 3, 0, 0, 0];

function encoded(
  width: number,
  height: number,
  palette: readonly number[][],
  pixels: Uint8Array,
): Uint8Array {
  const size = Buffer.alloc(8);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  // Each row starts with its filter, 0 for none.
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y += 1) {
    rows.set(pixels.subarray(y * width, (y + 1) * width), y * (width + 1) + 1);
  }
  return Buffer.concat([
    Buffer.from(SIGNATURE),
    chunk('IHDR', Buffer.concat([size, Buffer.from(FORMAT)])),
    chunk('PLTE', Buffer.from(palette.flat())),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** RFC 2083 section 3.2. */
function chunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, check]);
}
