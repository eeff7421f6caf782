// Starts Swagger UI with the OpenAPI document of this server.
"use strict";

const place = document.getElementById("docs");
const { openapi, base } = place.dataset;

place.replaceChildren();

const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
follow();
dark.addEventListener("change", follow);

const note = (text) => {
  const notice = document.createElement("p");
  notice.className = "notice";
  notice.setAttribute("role", "alert");
  notice.textContent = text;
  place.replaceChildren(notice);
};

// Swagger UI sends the example of a parameter unless it is erased, so a request would have the
// ETag of another state. The example becomes a part of the description.
const describeExample = (parameter) => {
  if (parameter.required || parameter.example === undefined) return;
  parameter.description = `${parameter.description ?? ""} Example: \`${parameter.example}\``;
  delete parameter.example;
};

// The many parameters for the operators of filters come after all others.
const sorted = (parameters, components) => {
  const isOperator = ({ $ref, name }) => {
    const whole = $ref === undefined ? name : components[$ref.split("/").at(-1)]?.name;
    return whole?.endsWith("]") ?? false;
  };
  return [...parameters].sort((one, other) => isOperator(one) - isOperator(other));
};

const adapt = (spec) => {
  const components = spec.components?.parameters ?? {};
  Object.values(components).forEach(describeExample);
  for (const path of Object.values(spec.paths ?? {})) {
    for (const operation of Object.values(path)) {
      if (!Array.isArray(operation?.parameters)) continue;
      operation.parameters.forEach(describeExample);
      operation.parameters = sorted(operation.parameters, components);
    }
  }
  // The page may send requests to this server alone. So the document's public URL is replaced by
  // the address that the browser used.
  spec.servers = [{ url: base || "/" }];
  return spec;
};

const start = async () => {
  const response = await fetch(openapi);
  if (!response.ok) throw new Error(`the status is ${response.status}`);
  SwaggerUIBundle({
    spec: adapt(await response.json()),
    domNode: place,
    deepLinking: true,
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    docExpansion: "none",
    filter: true,
    validatorUrl: null,
  });
};

start().catch((error) => note(`${openapi} could not be read: ${error.message}`));
