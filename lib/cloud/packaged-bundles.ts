/** The code of the functions in the package, which is built already: an app that uses it needs no esbuild. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BundleError, type Bundles, handlers } from './handlers.ts';

/** All that functions load: ECMAScript modules, and the file that says that they are. */
const CODE = ['functions', 'chunks'];

/**
 * The bundles of all handlers. They share one folder, because they share most of their code: Lambda loads of it what a handler
 * imports, and a deployment uploads it once.
 * @throws BundleError outside of the package.
 */
export function packagedBundles(): Bundles {
  const folder = fileURLToPath(new URL('../../', import.meta.url));
  if (!existsSync(join(folder, 'functions/meta/fallback.js')))
    throw new BundleError('the functions are not built: this is no installed package');
  const exclude = ['*', ...CODE.flatMap((name) => [`!${name}`, `!${name}/**`]), '!package.json', '**/*.map'];
  const bytes = CODE.map((name) => bytesIn(join(folder, name))).reduce((sum, size) => sum + size, 0);
  return new Map(
    handlers.map((name) => [name, { folder, handler: `functions/${name}.handler`, exclude, bytes }]),
  );
}

const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && file.name.endsWith('.js'))
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
