import type * as z from 'zod/mini';
import type { Outcome } from '../shared/operations/outcome.ts';
import { type EndpointHandler, endpoint, type Request } from '../shared/runtime/http/endpoint.ts';
import { answer } from '../shared/runtime/http/reply.ts';
import type { Route } from '../shared/runtime/http/route.ts';

type Given<S> = S extends z.ZodMiniType ? z.output<S> : unknown;
/** What path, query and body have. */
type InputOf<R extends Route['request']> = Given<R['path']> & Given<R['query']> & Given<R['body']>;

type Performs<R extends Route, Dependencies, Value> = (
  caller: Request<R>['caller'],
  input: InputOf<R['request']>,
  deps: Dependencies,
) => Promise<Outcome<Value>>;

type Answer<R extends Route> = z.output<R['success']['schema']>;

/**
 * The handler of an endpoint that performs an operation, and does nothing else.
 * @param show What the endpoint answers; by default what the operation did.
 */
export function operationEndpoint<R extends Route, Dependencies>(
  route: R,
  makeDependencies: () => Dependencies,
  perform: Performs<R, Dependencies, Answer<R>>,
): EndpointHandler<Dependencies>;
export function operationEndpoint<R extends Route, Dependencies, Value>(
  route: R,
  makeDependencies: () => Dependencies,
  perform: Performs<R, Dependencies, Value>,
  show: (value: Value, deps: Dependencies) => Answer<R>,
): EndpointHandler<Dependencies>;
export function operationEndpoint<R extends Route, Dependencies, Value extends Answer<R>>(
  route: R,
  makeDependencies: () => Dependencies,
  perform: Performs<R, Dependencies, Value>,
  show: (value: Value, deps: Dependencies) => Answer<R> = (value) => value,
): EndpointHandler<Dependencies> {
  return endpoint(route, makeDependencies, async ({ caller, path, query, body }, deps) => {
    const given: readonly unknown[] = [body, query, path];
    const input = Object.assign({}, ...given);
    return answer(await perform(caller, input, deps), (value) => show(value, deps));
  });
}
