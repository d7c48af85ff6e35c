import type { ApiAnswer, ApiClient } from './api-client.ts';

/** Registers a domain, parked unless something else is given: what the API says of it, and the address for its reports. */
export async function register(
  api: ApiClient,
  domain: string,
  given: object = {},
): Promise<ApiAnswer['body']> {
  const json = { domain, usageType: 'parked', ...given };
  const { data } = (await api.call('POST', '/api/v1/domains', { json })).body;
  return { ...data, address: data.reporting.ruaAddress.replace('mailto:', '') };
}
