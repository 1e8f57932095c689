/**
 * Starts the viewer in the browser. A key that the reader enters stays in the page's memory. The page then
 * requests the document again with the key, because the document lists only what its caller may use.
 */
export const START_SCRIPT = `'use strict';
(() => {
  const url = '/api/openapi.json';
  let authorization = '';
  const again = (system) => system.specActions.download(url);
  const withKey = {
    statePlugins: {
      auth: {
        wrapActions: {
          authorize: (original, system) => (payload) => {
            const result = original(payload);
            const { token, basic } = payload;
            const typed = token && token.value.trim();
            if (typed) authorization = /^(token|basic|bearer) /i.test(typed) ? typed : 'token ' + typed;
            if (basic && basic.value) {
              const bytes = new TextEncoder().encode(basic.value.username + ':' + basic.value.password);
              authorization = 'Basic ' + btoa(String.fromCharCode(...bytes));
            }
            again(system);
            return result;
          },
          logout: (original, system) => (payload) => {
            const result = original(payload);
            authorization = '';
            again(system);
            return result;
          },
        },
      },
    },
  };
  window.SwaggerUIBundle({
    url,
    dom_id: '#reference',
    deepLinking: true,
    docExpansion: 'none',
    defaultModelsExpandDepth: -1,
    filter: true,
    validatorUrl: null,
    plugins: [() => withKey],
    requestInterceptor(request) {
      // No other place ever sees the key.
      const sameOrigin = new URL(request.url, location.href).origin === location.origin;
      if (authorization && sameOrigin) request.headers.Authorization = authorization;
      return request;
    },
  });
})();
`;
