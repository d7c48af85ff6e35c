/** What several measurements do: calls of a booted service, times and medians. */
import type { BootedService } from '../kit/service.ts';

/** The data of the response. */
export async function call(
  { url, token }: Pick<BootedService, 'url' | 'token'>,
  method: string,
  path: string,
  json?: object,
) {
  const answer = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  // biome-ignore lint/suspicious/noExplicitAny: answers are read freely here
  return ((await answer.json()) as any).data;
}

export interface Registered {
  readonly id: string;
  readonly domain: string;
  /** Where its reports go. */
  readonly address: string;
}

export async function registered(service: BootedService, domain: string): Promise<Registered> {
  const { id, reporting } = await call(service, 'POST', '/domains', { domain, usageType: 'parked' });
  return { id, domain, address: reporting.ruaAddress.replace('mailto:', '') };
}

export const reportsOf = async (service: BootedService, id: string): Promise<number> =>
  (await call(service, 'GET', `/domains/${id}/reports/dmarc?limit=1`)).summary.totalReports;

export async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
