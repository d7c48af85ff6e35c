/** The inside of a sandbox: loads a bundle's handler, then answers one event after the other. */
import { parentPort, workerData } from 'node:worker_threads';
import type { LambdaHandler } from '../invoke.ts';
import { type Invocation, lambdaContext } from '../lambda-context.ts';

export interface ThreadData {
  /** URL of the bundle. */
  readonly file: string;
  /** The name of what it exports. */
  readonly handler: string;
}

/** As JSON, as Lambda passes it. */
export interface Call extends Invocation {
  readonly event: string;
}

/** An empty one when the handler is loaded; after that, one for each call. */
export interface Outcome {
  /** JSON. */
  readonly answer?: string;
  readonly failure?: string;
}

const { file, handler: name } = workerData as ThreadData;
const handler: LambdaHandler = (await import(file))[name];
if (typeof handler !== 'function') throw new Error(`${file} exports no ${name}`);
const tell = (outcome: Outcome): void => parentPort?.postMessage(outcome);

parentPort?.on('message', async ({ event, ...invocation }: Call) => {
  try {
    const answer = await handler(JSON.parse(event), lambdaContext(invocation));
    tell({ answer: JSON.stringify(answer) ?? 'null' });
  } catch (error) {
    tell({ failure: error instanceof Error ? (error.stack ?? String(error)) : String(error) });
  }
});
tell({});
