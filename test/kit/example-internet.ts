import type { ApiClient } from './api-client.ts';

interface Service {
  readonly url: string;
}

/** Publishes a TXT record below .test. The method PUT replaces those that the name has. */
export async function publishTxt(
  { url }: Service,
  name: string,
  value: string,
  method: 'POST' | 'PUT' = 'POST',
): Promise<void> {
  const body = JSON.stringify({ name, type: 'TXT', value });
  const { status } = await fetch(`${url}/example-internet/records`, { method, body });
  if (status !== 200) throw new Error(`${name} is not published: ${status}`);
}

/** Publishes what proves that a domain is its owner's, and has it verified. */
export async function verifyOwnership(service: Service, api: ApiClient, id: string): Promise<void> {
  const path = `/api/v1/domains/${id}/verify`;
  const { hostname, value } = (await api.call('GET', path)).body.data.verificationRecord;
  await publishTxt(service, hostname, value);
  const { verified } = (await api.call('POST', path)).body.data;
  if (verified !== true) throw new Error(`${hostname} is not verified`);
}
