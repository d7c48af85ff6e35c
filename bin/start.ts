/** `npm start`. */
import './compile-cache.ts';

await import('./start-service.ts');
