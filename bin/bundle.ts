/** `npm run build`: bundles the code of every Lambda function, without a full synthesis. */
import { relative } from 'node:path';
import { bundleAll } from '../lib/cloud/bundle.ts';
import { BundleError } from '../lib/cloud/handlers.ts';

try {
  for (const { folder, bytes } of (await bundleAll()).values()) {
    console.log(`${String(Math.ceil(bytes / 1000)).padStart(5)} kB  ${relative('.', folder)}`);
  }
} catch (error) {
  if (!(error instanceof BundleError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
