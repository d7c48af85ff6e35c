import { apiClient } from './api-client.ts';
import { bootService } from './service.ts';
import { atEnd } from './use.ts';

export async function useService(...of: Parameters<typeof bootService>) {
  const service = await bootService(...of);
  atEnd(() => service.remove());
  return service;
}

export async function useApi(...of: Parameters<typeof bootService>) {
  const service = await useService(...of);
  return { service, api: await apiClient(service) };
}
