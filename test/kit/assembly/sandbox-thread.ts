/** The worker thread of a sandbox: imports a bundle's handler, then handles one event at a time. */
import { enableCompileCache, flushCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import type { LambdaHandler } from '../../../lib/local/host/invoke.ts';
import { type Invocation, lambdaContext } from '../../../lib/local/host/lambda-context.ts';

export interface ThreadData {
  /** The URL of the bundle. */
  readonly file: string;
  /** The name of the export that is the handler. */
  readonly handler: string;
  /** The folder where Node keeps compiled code. */
  readonly compileCache: string | undefined;
}

/** The event is JSON, as in Lambda. */
export interface Call extends Invocation {
  readonly event: string;
}

/** The thread posts an empty outcome when the handler is loaded, then one for each call. */
export interface Outcome {
  /** JSON. */
  readonly answer?: string;
  readonly failure?: string;
}

const { file, handler: name, compileCache } = workerData as ThreadData;
if (compileCache !== undefined) enableCompileCache(compileCache);
const handler: LambdaHandler = (await import(file))[name];
if (typeof handler !== 'function') throw new Error(`${file} exports no ${name}`);
const post = (outcome: Outcome): void => parentPort?.postMessage(outcome);

parentPort?.on('message', async ({ event, ...invocation }: Call) => {
  try {
    const answer = await handler(JSON.parse(event), lambdaContext(invocation));
    post({ answer: JSON.stringify(answer) ?? 'null' });
  } catch (error) {
    post({ failure: error instanceof Error ? (error.stack ?? String(error)) : String(error) });
  }
  // Keeps what the call compiled; writes nothing if the code came from the cache.
  flushCompileCache();
});
post({});
