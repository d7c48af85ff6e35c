/** The functions of the service as the gateway, the pollers and the scheduler call them; here, in this process. */
import type { Context } from 'aws-lambda';
import { lambdaContext } from './lambda-context.ts';

export type LambdaHandler = (event: unknown, context: Context) => Promise<unknown>;

export interface LocalFunction {
  /** As the log names it. */
  readonly name: string;
  /** @throws TimedOut, PayloadTooLarge, and whatever the handler throws. */
  invoke(event: unknown): Promise<unknown>;
}

export interface FunctionRow {
  /** The handler's file below `functions/`, without `.ts`. */
  readonly handler: string;
  readonly timeoutSeconds: number;
  readonly memoryMegabytes: number;
}

export class TimedOut extends Error {
  override readonly name = 'TimedOut';
}

/** The event or the answer is larger than Lambda takes. */
export class PayloadTooLarge extends Error {
  override readonly name = 'PayloadTooLarge';
  readonly part: 'event' | 'answer';

  constructor(part: 'event' | 'answer', functionName: string) {
    super(`the ${part} of ${functionName} is larger than Lambda takes`);
    this.part = part;
  }
}

/** A function whose handler is imported from its source at its first call, and kept, as a warm Lambda keeps it. */
export function sourceFunction({
  handler: file,
  timeoutSeconds,
  memoryMegabytes,
}: FunctionRow): LocalFunction {
  let loaded: Promise<LambdaHandler> | undefined;
  return {
    name: file,
    async invoke(event) {
      loaded ??= import(new URL(`../../functions/${file}.ts`, import.meta.url).href).then(
        (module) => module.handler,
      );
      const handler = await loaded;
      const endsAt = Date.now() + timeoutSeconds * 1000;
      const context = lambdaContext({ functionName: file, memoryMegabytes, endsAt });
      return inTime(file, timeoutSeconds, handler(event, context));
    },
  };
}

/** @throws TimedOut when the work takes longer. */
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
