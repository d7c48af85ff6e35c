import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, test } from '@jest/globals';
import { bodyReader, type HeldBody } from '../../../../../lib/local/host/gateway/bodies.ts';

const MEGABYTE = 1024 * 1024;

/** A request that has only headers and a body. */
function requestOf(headers: Record<string, string> = {}): PassThrough & IncomingMessage {
  return Object.assign(new PassThrough(), { headers }) as unknown as PassThrough & IncomingMessage;
}

function whole(octets: number): IncomingMessage {
  const request = requestOf({ 'content-length': String(octets) });
  for (let left = octets; left > 0; left -= MEGABYTE) request.write(Buffer.alloc(Math.min(left, MEGABYTE)));
  request.end();
  return request;
}

test('limits the memory for all bodies until they are released, but always accepts small ones', async () => {
  const read = bodyReader();
  const held: HeldBody[] = [];
  for (let at = 0; at < 10; at++) held.push((await read(whole(6 * MEGABYTE))) as HeldBody);
  expect(held.map(({ content }) => content.length)).toEqual(Array(10).fill(6 * MEGABYTE));
  expect(await read(whole(6 * MEGABYTE))).toBe('busy');
  expect(await read(whole(5 * MEGABYTE))).toBe('busy');
  held.push((await read(whole(4 * MEGABYTE))) as HeldBody);
  expect(await read(whole(MEGABYTE))).toBe('busy');
  expect(await read(whole(64 * 1024 + 1))).toBe('busy');
  expect(await read(whole(64 * 1024))).toMatchObject({ content: { length: 64 * 1024 } });
  held[0]?.release();
  expect(await read(whole(5 * MEGABYTE))).toMatchObject({ content: { length: 5 * MEGABYTE } });
});

test('releases the memory of rejected and interrupted bodies', async () => {
  const read = bodyReader();
  for (let at = 0; at < 10; at++) {
    const unannounced = Object.assign(whole(6 * MEGABYTE + 1), { headers: {} });
    expect(await read(unannounced)).toBe('too-large');
    const cutOff = requestOf();
    const reading = read(cutOff);
    for (let sent = 0; sent < 5; sent++) {
      await new Promise((resolve) => cutOff.write(Buffer.alloc(MEGABYTE), resolve));
    }
    cutOff.destroy(new Error('hung up'));
    await expect(reading).rejects.toThrow('hung up');
  }
  expect(await read(whole(6 * MEGABYTE))).toMatchObject({ content: { length: 6 * MEGABYTE } });
});

test('rejects a body as soon as it is too large, and closes the connection of an endless one', async () => {
  const endless = requestOf();
  const read = bodyReader()(endless);
  let sent = 0;
  for (; !endless.destroyed && sent < 200; sent++) {
    await new Promise((resolve) => endless.write(Buffer.alloc(MEGABYTE), resolve));
    if (sent === 6) expect(await read).toBe('too-large');
  }
  expect(sent).toBeGreaterThan(50);
  expect(endless.destroyed).toBe(true);
});
