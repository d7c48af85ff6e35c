/** Calls a handler as Lambda does: loaded once, with a context, and with an end to its time. */

import { randomUUID } from 'node:crypto';
import type { Context } from 'aws-lambda';

export type LambdaHandler = (event: unknown, context: Context) => Promise<unknown>;

export interface FunctionRow {
  /** The handler's file below `functions/`, without `.ts`. */
  readonly handler: string;
  readonly timeoutSeconds: number;
  readonly memoryMegabytes: number;
}

export class TimedOut extends Error {
  override readonly name = 'TimedOut';
}

const loaded = new Map<string, Promise<LambdaHandler>>();

/** Loads a handler's file once; later calls get the same one, as calls of a warm Lambda do. */
function loadHandler(file: string): Promise<LambdaHandler> {
  let handler = loaded.get(file);
  if (handler === undefined) {
    handler = import(new URL(`../../functions/${file}.ts`, import.meta.url).href).then(
      (module) => module.handler,
    );
    loaded.set(file, handler);
  }
  return handler;
}

/** @throws TimedOut after the row's time; whatever the handler throws. */
export async function invoke(row: FunctionRow, event: unknown): Promise<unknown> {
  const handler = await loadHandler(row.handler);
  const endsAt = Date.now() + row.timeoutSeconds * 1000;
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new TimedOut(`${row.handler} took longer than ${row.timeoutSeconds} s`)),
      row.timeoutSeconds * 1000,
    );
  });
  try {
    return await Promise.race([handler(event, context(row, endsAt)), timeout]);
  } finally {
    clearTimeout(timer);
  }
}

function context(row: FunctionRow, endsAt: number): Context {
  const awsRequestId = randomUUID();
  const gone = () => {
    throw new Error('callbacks are not offered by the Node.js 24 runtime');
  };
  return {
    awsRequestId,
    functionName: row.handler,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:local:000000000000:function:${row.handler}`,
    memoryLimitInMB: String(row.memoryMegabytes),
    logGroupName: `/aws/lambda/${row.handler}`,
    logStreamName: awsRequestId,
    callbackWaitsForEmptyEventLoop: false,
    getRemainingTimeInMillis: () => Math.max(0, endsAt - Date.now()),
    done: gone,
    fail: gone,
    succeed: gone,
  };
}
