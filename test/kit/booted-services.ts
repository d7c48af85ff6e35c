/** Services that a single test starts. */
import { afterEach } from '@jest/globals';
import { type ApiClient, apiClient } from './api-client.ts';
import { type BootedService, bootService } from './service.ts';

/** Returns what boots a service with an environment. Those that were booted in a test are removed after it. */
export function bootingServices() {
  const booted: BootedService[] = [];
  afterEach(async () => {
    for (const service of booted.splice(0)) await service.remove();
  });
  return async (
    environment: Record<string, string> = {},
  ): Promise<{ readonly service: BootedService; readonly api: ApiClient }> => {
    const service = await bootService(environment);
    booted.push(service);
    return { service, api: await apiClient(service) };
  };
}
