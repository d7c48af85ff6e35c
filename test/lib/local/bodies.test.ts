import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, test } from '@jest/globals';
import { bodyReader, type HeldBody } from '../../../lib/local/gateway/bodies.ts';

const MEGABYTE = 1024 * 1024;

/** A request of which nothing but its headers and its body is there. */
function requestOf(headers: Record<string, string> = {}): PassThrough & IncomingMessage {
  return Object.assign(new PassThrough(), { headers }) as unknown as PassThrough & IncomingMessage;
}

function whole(octets: number): IncomingMessage {
  const request = requestOf({ 'content-length': String(octets) });
  for (let left = octets; left > 0; left -= MEGABYTE) request.write(Buffer.alloc(Math.min(left, MEGABYTE)));
  request.end();
  return request;
}

test('holds so much of all bodies together, and small ones in any case, until they are answered', async () => {
  const read = bodyReader();
  const held: HeldBody[] = [];
  for (let at = 0; at < 6; at++) held.push((await read(whole(10 * MEGABYTE))) as HeldBody);
  expect(held.map(({ content }) => content.length)).toEqual(Array(6).fill(10 * MEGABYTE));
  expect(await read(whole(10 * MEGABYTE))).toBe('busy');
  expect(await read(whole(5 * MEGABYTE))).toBe('busy');
  held.push((await read(whole(4 * MEGABYTE))) as HeldBody);
  expect(await read(whole(MEGABYTE))).toBe('busy');
  expect(await read(whole(64 * 1024))).toMatchObject({ content: { length: 64 * 1024 } });
  held[0]?.release();
  expect(await read(whole(5 * MEGABYTE))).toMatchObject({ content: { length: 5 * MEGABYTE } });
}, 30_000);

test('holds nothing of what was refused, or whose sender hung up', async () => {
  const read = bodyReader();
  for (let at = 0; at < 10; at++) {
    const unannounced = Object.assign(whole(10 * MEGABYTE + 1), { headers: {} });
    expect(await read(unannounced)).toBe('too-large');
    const cutOff = requestOf();
    const reading = read(cutOff);
    for (let sent = 0; sent < 8; sent++) {
      await new Promise((resolve) => cutOff.write(Buffer.alloc(MEGABYTE), resolve));
    }
    cutOff.destroy(new Error('hung up'));
    await expect(reading).rejects.toThrow('hung up');
  }
  expect(await read(whole(10 * MEGABYTE))).toMatchObject({ content: { length: 10 * MEGABYTE } });
}, 30_000);

test('does not wait for what is announced as too large', async () => {
  expect(await bodyReader()(requestOf({ 'content-length': String(10 * MEGABYTE + 1) }))).toBe('too-large');
});
