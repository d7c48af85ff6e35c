/**
 * The service's functions, as the gateway, the pollers and the scheduler invoke them, with an implementation that runs
 * them in this process.
 */
import type { Context } from 'aws-lambda';
import { whileWanted } from '../../../shared/network/abandon.ts';
import { lambdaContext } from './lambda-context.ts';

export type LambdaHandler = (event: unknown, context: Context) => Promise<unknown>;

export interface LocalFunction {
  /** The name in the log. */
  readonly name: string;
  /**
   * @param signal Aborts when nobody waits for the result any more.
   * @throws TimedOut, PayloadTooLarge, and whatever the handler throws.
   */
  invoke(event: unknown, signal?: AbortSignal): Promise<unknown>;
}

export interface FunctionRow {
  /** The handler's file in `functions/`, without `.ts`. */
  readonly handler: string;
  readonly timeoutSeconds: number;
  readonly memoryMegabytes: number;
}

export class TimedOut extends Error {
  override readonly name: string = 'TimedOut';
}

/** Lambda's quota for an event and for a response, in bytes of JSON. */
export const MAX_PAYLOAD = 6 * 1024 * 1024;

/** The event or the response exceeds Lambda's quota. */
export class PayloadTooLarge extends Error {
  override readonly name = 'PayloadTooLarge';
  readonly part: 'event' | 'response';

  constructor(part: 'event' | 'response', functionName: string) {
    super(`the ${part} of ${functionName} exceeds Lambda's payload limit`);
    this.part = part;
  }
}

/**
 * Returns a function that imports its handler from the sources at the first call and keeps it, like a warm Lambda
 * function.
 */
export function sourceFunction({
  handler: file,
  timeoutSeconds,
  memoryMegabytes,
}: FunctionRow): LocalFunction {
  let loaded: Promise<LambdaHandler> | undefined;
  return {
    name: file,
    async invoke(event, signal = NEVER) {
      checkedEvent(file, event);
      loaded ??= import(new URL(`../../../functions/${file}.ts`, import.meta.url).href).then(
        (module) => module.handler,
      );
      const handler = await loaded;
      const endsAt = Date.now() + timeoutSeconds * 1000;
      const context = lambdaContext({ functionName: file, memoryMegabytes, endsAt });
      return inTime(
        file,
        timeoutSeconds,
        whileWanted(signal, () => handler(event, context)),
      );
    },
  };
}

const NEVER = new AbortController().signal;

/** The event as JSON. @throws PayloadTooLarge. */
export function checkedEvent(functionName: string, event: unknown): string {
  const json = JSON.stringify(event);
  if (Buffer.byteLength(json) > MAX_PAYLOAD) throw new PayloadTooLarge('event', functionName);
  return json;
}

/** @throws TimedOut if the work takes longer. */
export async function inTime<T>(functionName: string, seconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new TimedOut(`${functionName} took longer than ${seconds} s`)),
      seconds * 1000,
    );
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
