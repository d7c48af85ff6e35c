/**
 * End-to-end tests, by the end of their paths, of the local host, the operator's commands, the documents and the API description:
 * bundles don't affect their results. All others test handlers.
 */
export const HOST_TESTS =
  '(host/[\\w-]+|accessibility|admin|console-story|damaged-data|documented-commands|events-file|inspect|kills|mailbox-kills|mcp-conformance|openapi-clients|openapi-tools|slow-input|start|stop|stories|wrong-clock)\\.(long\\.)?test\\.ts$';
