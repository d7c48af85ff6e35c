import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { sequence } from '../../../../shared/api/sequence.ts';
import { compressed, inPieces, joined, jsonBody } from '../../../../shared/runtime/http/body.ts';

describe('the JSON of a response', () => {
  test('without sequences is one string', () => {
    expect(jsonBody({ a: [1, null], b: undefined, at: new Date(0) })).toBe(
      '{"a":[1,null],"at":"1970-01-01T00:00:00.000Z"}',
    );
  });

  test('contains the elements of its sequences in their places', () => {
    const value = { a: sequence([1, { b: '"' }]), c: [sequence([]), sequence(['x'])], d: 2 };
    expect(JSON.parse(joined(jsonBody(value), 1000) ?? '')).toEqual({
      a: [1, { b: '"' }],
      c: [[], ['x']],
      d: 2,
    });
  });

  test('with many elements is produced in pieces, and each element only when it is needed', () => {
    let made = 0;
    function* elements() {
      for (; made < 100_000; made += 1) yield made;
    }
    const body = jsonBody(sequence(elements()));
    if (typeof body === 'string') throw new Error('the body is not in pieces');
    const pieces = body[Symbol.iterator]();
    expect(pieces.next().value.length).toBeGreaterThan(60_000);
    expect(made).toBeLessThan(20_000);
  });
});

describe('a body', () => {
  test.each(['text', 'ü'.repeat(100)])(
    'is joined and compressed without changing its content',
    async (text) => {
      for (const body of [text, inPieces([...text])]) expect(joined(body, 1000)).toBe(text);
      for (const body of [text, inPieces([...text])]) {
        expect(gunzipSync((await compressed(body, 1000)) ?? '').toString()).toBe(text);
      }
    },
  );

  test('above its limit, in bytes, is rejected', async () => {
    expect([joined('ü', 2), joined('ü', 1)]).toEqual(['ü', undefined]);
    expect(await compressed('x'.repeat(100), 10)).toBeUndefined();
  });

  test('with a failing source fails', async () => {
    function* failing() {
      yield 'a';
      throw new Error('broken');
    }
    await expect(compressed(failing(), 1000)).rejects.toThrow('broken');
  });
});
