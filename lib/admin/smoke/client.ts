/** Asks a service from outside, as any program would, and holds its answers against what they should be. */
import type * as z from 'zod/mini';
import { shorten, visible } from '../../local/terminal-text.ts';

/** An answer that is not what it should be; its message says what it was. */
export class Unexpected extends Error {
  override readonly name = 'Unexpected';
}

export interface Call {
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Another token than the one given; null sends none. */
  readonly token?: string | null;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface Client {
  /** @throws Unexpected when there is no answer in time, or one of another status. */
  ask(method: string, path: string, status: number, call?: Call): Promise<Answer>;
  /** The same, where the answer is JSON of this schema. */
  read<S extends z.ZodMiniType>(
    schema: S,
    method: string,
    path: string,
    status: number,
    call?: Call,
  ): Promise<z.output<S>>;
}

/** A gateway gives up on a function after 30 s. */
const ANSWER_MILLISECONDS = 35_000;

/** How much of an unexpected answer is told. */
const SHOWN = 200;

export function client(url: string, ownToken: string): Client {
  async function ask(method: string, path: string, status: number, call: Call = {}): Promise<Answer> {
    const { json, token = ownToken } = call;
    const answer = await send(`${url}${path}`, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_MILLISECONDS),
    });
    if (answer.status === status) return answer;
    throw new Unexpected(`${answer.status} in place of ${status}: ${shown(answer.text)}`);
  }

  return {
    ask,
    async read(schema, method, path, status, call) {
      const { text } = await ask(method, path, status, call);
      return parsed(schema, text);
    },
  };
}

async function send(url: string, request: RequestInit): Promise<Answer> {
  try {
    const response = await fetch(url, request);
    return { status: response.status, headers: response.headers, text: await response.text() };
  } catch (error) {
    const { message, cause } = error as Error;
    throw new Unexpected(`no answer: ${(cause as Error | undefined)?.message || message}`);
  }
}

/** @throws Unexpected when the text is not JSON, or not of this schema. */
export function parsed<S extends z.ZodMiniType>(schema: S, text: string): z.output<S> {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new Unexpected(`no JSON: ${shown(text)}`);
  }
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new Unexpected(`${issue?.path.join('.') || 'the body'} is not as described: ${shown(text)}`);
}

const shown = (text: string): string => visible(shorten(text, SHOWN));
