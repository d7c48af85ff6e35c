/** One budget of time for everything that a check asks. */
import type { Dns } from '../protocol/dns.ts';
import type { Network } from './ports.ts';

/**
 * The same network, whose calls end with `signal`: as `unavailable` for the reason `deadline`. What is under way
 * behind them ends by its own limits.
 */
export function withDeadline(network: Network, signal: AbortSignal): Network {
  const { dns, web, smtp, clock, authorities } = network;
  return {
    clock,
    ...(authorities === undefined
      ? {}
      : {
          authorities: {
            ask: (server, name, type) =>
              race(authorities.ask(server, name, type), signal, () => ({
                status: 'unavailable',
                detail: DETAIL,
              })),
          },
        }),
    dns: dnsWithDeadline(dns, signal),
    web: {
      get: (request) =>
        race(web.get(request), signal, (milliseconds) => ({
          status: 'unavailable',
          reason: 'deadline',
          detail: DETAIL,
          evidence: { url: request.url, milliseconds },
        })),
    },
    smtp: {
      probe: (request) =>
        race(smtp.probe(request), signal, (milliseconds) => ({
          status: 'unavailable',
          reason: 'deadline',
          detail: DETAIL,
          evidence: { hostname: request.hostname, address: request.address, milliseconds },
        })),
    },
  };
}

/** The same Dns, whose look-ups end with `signal`. */
export function dnsWithDeadline(dns: Dns, signal: AbortSignal): Dns {
  return {
    lookup: (name, type, options) =>
      race(dns.lookup(name, type, options), signal, (milliseconds) => ({
        status: 'unavailable',
        reason: 'deadline',
        evidence: { milliseconds },
      })),
  };
}

const DETAIL = 'the time of the whole run was over';

function race<T>(call: Promise<T>, signal: AbortSignal, late: (milliseconds: number) => T): Promise<T> {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const onAbort = () => resolve(late(Math.round(performance.now() - started)));
    call.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort);
  });
}
