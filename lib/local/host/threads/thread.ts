/** The code of a thread: runs handlers. Their requests to the embedded servers go through the host. */
import { enableCompileCache } from 'node:module';
import { extname } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { whileWanted } from '../../../../shared/network/abandon.ts';
import { observeLines } from '../../../../shared/runtime/logging/metric.ts';
import { reachAwsBy } from '../../../../shared/store/aws-access.ts';
import { accessTo } from '../../stores/access.ts';
import type { LoopbackAnswer } from '../../stores/loopback-server.ts';
import type { LambdaHandler } from '../invoke.ts';
import { lambdaContext } from '../lambda-context.ts';
import type { FromThread, ThreadData, ToThread } from './messages.ts';

const { NODE_COMPILE_CACHE: compileCache } = process.env;
if (compileCache !== undefined) enableCompileCache(compileCache);

/** The extension of this file, and of the handlers: the package has `.js`. */
const EXTENSION = extname(import.meta.url);

const handlers = new Map<string, Promise<LambdaHandler>>();
const invocations = new Map<number, AbortController>();
const requests = new Map<number, PromiseWithResolvers<LoopbackAnswer>>();
let sent = 0;

const post = (message: FromThread, moved: readonly ArrayBuffer[] = []): void =>
  parentPort?.postMessage(message, [...moved]);

observeLines((name, values) => post({ kind: 'line', name, values }));

const { folder, endpoints } = workerData as ThreadData;
reachAwsBy(
  accessTo(
    endpoints.map((endpoint) => ({
      endpoint,
      send(request) {
        sent += 1;
        const waiting = Promise.withResolvers<LoopbackAnswer>();
        requests.set(sent, waiting);
        // Otherwise, all of the memory that the body is a part of is copied, which is often that of many mails.
        const body = request.body && new Uint8Array(request.body).buffer;
        post({ kind: 'request', id: sent, endpoint, request: { ...request, body } }, body && [body]);
        return waiting.promise;
      },
    })),
  ),
);

parentPort?.on('message', (message: ToThread) => {
  switch (message.kind) {
    case 'ping':
      return post({ kind: 'alive' });
    case 'invoke':
      return void invoke(message);
    case 'abandon':
      return invocations.get(message.id)?.abort();
    default:
      return settle(message);
  }
});

async function invoke({ id, file, event, invocation }: Extract<ToThread, { kind: 'invoke' }>): Promise<void> {
  const abandoned = new AbortController();
  invocations.set(id, abandoned);
  try {
    const handler = await loaded(file);
    const handle = () => handler(JSON.parse(event), lambdaContext(invocation));
    const result = await whileWanted(abandoned.signal, handle);
    post({ kind: 'result', id, result });
  } catch (error) {
    post({
      kind: 'failure',
      id,
      failure: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
  } finally {
    invocations.delete(id);
  }
}

function loaded(file: string): Promise<LambdaHandler> {
  const known = handlers.get(file);
  if (known !== undefined) return known;
  const loading = import(new URL(`${file}${EXTENSION}`, folder).href);
  const handler = loading.then((module) => module.handler);
  handlers.set(file, handler);
  return handler;
}

function settle(message: Extract<ToThread, { kind: 'answer' | 'failure' }>): void {
  const waiting = requests.get(message.id);
  requests.delete(message.id);
  if (message.kind === 'answer') waiting?.resolve(message.answer);
  else waiting?.reject(new Error(message.failure));
}
