/** One time limit for all network calls of a check. */
import type { Dns } from '../protocol/dns.ts';
import type { AuthoritativeServers, Network, Web } from './ports.ts';

/**
 * Wraps a network so that its calls end with `signal`, as `unavailable` with the reason `deadline`. Operations that have
 * started end by their own limits; none starts afterward.
 */
export function withDeadline(network: Network, signal: AbortSignal): Network {
  const { dns, smtp, clock, over } = network;
  const ended = ({ web, authorities }: Pick<Network, 'web' | 'authorities'>) => ({
    ...(authorities && {
      authorities: {
        ask: (...question) =>
          race(
            () => authorities.ask(...question),
            signal,
            () => ({ status: 'unavailable', detail: DETAIL }),
          ),
      } satisfies AuthoritativeServers,
    }),
    web: {
      get: (request) => race(() => web.get(request), signal, late({ url: request.url })),
    } satisfies Web,
  });
  return {
    clock,
    dns: dnsWithDeadline(dns, signal),
    ...ended(network),
    ...(over && { over: (answers) => ended(over(answers)) }),
    smtp: {
      probe: (request) => {
        const { hostname, address } = request;
        return race(() => smtp.probe(request), signal, late({ hostname, address }));
      },
    },
  };
}

/**
 * Wraps a Dns so that its lookups end with `signal`. Passes the signal on, so that the failure of a silent resolver is
 * cached and the next caller does not wait again.
 */
export function dnsWithDeadline(dns: Dns, signal: AbortSignal): Dns {
  return {
    lookup: (name, type, options) =>
      race(
        () => dns.lookup(name, type, { ...options, signal }),
        signal,
        (milliseconds) => ({
          status: 'unavailable',
          reason: 'deadline',
          evidence: { milliseconds },
        }),
      ),
  };
}

const DETAIL = 'the time of the whole run was over';

const late =
  <Asked extends object>(asked: Asked) =>
  (milliseconds: number) =>
    ({
      status: 'unavailable',
      reason: 'deadline',
      detail: DETAIL,
      evidence: { ...asked, milliseconds },
    }) as const;

function race<T>(call: () => Promise<T>, signal: AbortSignal, late: (milliseconds: number) => T): Promise<T> {
  if (signal.aborted) return Promise.resolve(late(0));
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const onAbort = () => resolve(late(Math.round(performance.now() - started)));
    signal.addEventListener('abort', onAbort);
    call()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', onAbort));
  });
}
