/** Ctrl-C arrives twice, from the terminal and from npm. */
const SAME_SIGNAL_MILLISECONDS = 500;

/** Stops the service and ends the process on SIGINT and SIGTERM; a second signal ends it at once. */
export function stopOnSignals(service: { stop(): Promise<void> }): void {
  let since: number | undefined;
  const stop = () => {
    if (since === undefined) service.stop().then(() => process.exit(0));
    else if (performance.now() - since > SAME_SIGNAL_MILLISECONDS) process.exit(1);
    since ??= performance.now();
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
}
