import { rm } from 'node:fs/promises';

export default async function removeAssembly(): Promise<void> {
  await rm(process.env.TESTED_ASSEMBLY ?? '', { recursive: true, force: true });
}
