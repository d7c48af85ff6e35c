/** An API client that calls a service from outside and validates its responses. */
import type * as z from 'zod/mini';
import { shorten, visible } from '../../terminal/text.ts';

/** An unexpected response; the message describes it. */
export class Unexpected extends Error {
  override readonly name = 'Unexpected';
}

export interface Call {
  /** Sent as JSON. */
  readonly json?: unknown;
  /** A different token than the configured one; null sends none. */
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface Client {
  /** @throws Unexpected if there is no response in time, or its status is none of these. */
  request(method: string, path: string, status: number | readonly number[], call?: Call): Promise<Answer>;
  /** Like `ask`, for a JSON response that must match the schema. */
  read<S extends z.ZodMiniType>(
    schema: S,
    method: string,
    path: string,
    status: number,
    call?: Call,
  ): Promise<z.output<S>>;
}

/** API Gateway times out after 30 s. */
const ANSWER_MILLISECONDS = 35_000;

/** How many characters of an unexpected response are shown. */
const SHOWN = 200;

export function client(url: string, ownToken: string): Client {
  async function request(
    method: string,
    path: string,
    status: number | readonly number[],
    call: Call = {},
  ): Promise<Answer> {
    const expected = [status].flat();
    const { json, token = ownToken, headers = {} } = call;
    const answer = await send(`${url}${path}`, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_MILLISECONDS),
    });
    if (expected.includes(answer.status)) return answer;
    throw new Unexpected(
      `status ${answer.status} instead of ${expected.join(' or ')}: ${shown(answer.text)}`,
    );
  }

  return {
    request,
    async read(schema, method, path, status, call) {
      const { text } = await request(method, path, status, call);
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
    throw new Unexpected(`request failed: ${(cause as Error | undefined)?.message || message}`);
  }
}

/** @throws Unexpected if the text is not JSON or does not match the schema. */
export function parsed<S extends z.ZodMiniType>(schema: S, text: string): z.output<S> {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new Unexpected(`not JSON: ${shown(text)}`);
  }
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new Unexpected(`${issue?.path.join('.') || 'the body'} does not match the schema: ${shown(text)}`);
}

const shown = (text: string): string => visible(shorten(text, SHOWN));
