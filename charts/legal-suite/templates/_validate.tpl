{{/* Rules between values, with the messages of the CEL rules of a LegalSuite. */}}
{{- define "legal.validate" -}}
{{- $values := .Values -}}
{{- if or (gt (len .Release.Name) 40) (not (regexMatch "^[a-z]([-a-z0-9]*[a-z0-9])?$" .Release.Name)) -}}
{{- fail "the release name must have at most 40 characters: lower-case letters, digits and dashes, starting with a letter" -}}
{{- end -}}
{{- include "legal.validateUnion" (dict "value" $values.database "types" (dict "external" "External" "cloudNativePG" "CloudNativePG" "embedded" "Embedded") "optional" (list "embedded")) -}}
{{- include "legal.validateUnion" (dict "value" $values.search "types" (dict "external" "External" "managed" "Managed") "optional" (list "managed")) -}}
{{- include "legal.validateUnion" (dict "value" $values.graph "types" (dict "external" "External" "managed" "Managed") "optional" (list "managed")) -}}
{{- include "legal.validateUnion" (dict "value" $values.objectStorage "types" (dict "s3" "S3" "volume" "Volume") "optional" (list "volume")) -}}
{{- with $values.database.external -}}
{{- if and .websocketProxy (ne (.driver | default "postgres") "neon") -}}{{- fail "websocketProxy requires driver neon" -}}{{- end -}}
{{- end -}}
{{- include "legal.validateResources" ($values.database.embedded | default dict) -}}
{{- include "legal.validateResources" ($values.database.cloudNativePG | default dict) -}}
{{- include "legal.validateResources" (($values.search | default dict).managed | default dict) -}}
{{- include "legal.validateResources" (($values.graph | default dict).managed | default dict) -}}
{{- range $name, $settings := $values.services -}}{{- include "legal.validateService" ($settings | default dict) -}}{{- end -}}
{{- include "legal.validateExposure" $values -}}
{{- range ($values.pods | default dict).volumes -}}
{{- if eq (hasKey . "secretName") (hasKey . "configMapName") -}}{{- fail "exactly one of secretName and configMapName is required" -}}{{- end -}}
{{- end -}}
{{- $files := get ($values.services | default dict) "files" | default dict -}}
{{- $isShared := or (eq (include "legal.objectStorage" .) "S3") (eq (include "legal.accessMode" . | trim) "ReadWriteMany") -}}
{{- if and (not $isShared) (or $files.autoscaling (gt (int ($files.replicas | default 1)) 1)) -}}
{{- fail "more than one replica of files requires objectStorage S3 or a Volume with accessMode ReadWriteMany" -}}
{{- end -}}
{{- end -}}

{{/* Requires exactly the member that belongs to the type. */}}
{{- define "legal.validateUnion" -}}
{{- with .value -}}
{{- $value := . -}}
{{- range $member, $type := $.types -}}
{{- $isOther := ne $value.type $type -}}
{{- if and (hasKey $value $member) $isOther -}}{{- fail (printf "%s requires type %s" $member $type) -}}{{- end -}}
{{- if not (or (hasKey $value $member) $isOther (has $member $.optional)) -}}
{{- fail (printf "%s requires type %s and is required by it" $member $type) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "legal.validateResources" -}}
{{- $requests := (.resources | default dict).requests | default dict -}}
{{- $limits := (.resources | default dict).limits | default dict -}}
{{- range $name, $request := $requests -}}
{{- $limit := get $limits $name -}}
{{- if and $limit (gt (include "legal.quantity" $request | float64) (include "legal.quantity" $limit | float64)) -}}
{{- fail (printf "requests.%s must not exceed limits.%s" $name $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "legal.validateService" -}}
{{- include "legal.validateResources" . -}}
{{- if and .replicas .autoscaling -}}{{- fail "replicas and autoscaling are mutually exclusive" -}}{{- end -}}
{{- with .autoscaling -}}
{{- if gt (int (.minReplicas | default 2)) (int .maxReplicas) -}}{{- fail "minReplicas (default 2) must not exceed maxReplicas" -}}{{- end -}}
{{- end -}}
{{- $reserved := list "BACKGROUND" "DATABASE_DRIVER" "DATABASE_URL" "ENVIRONMENT" "HOST" "INTERNAL_API_KEY" "INTERNAL_API_KEY_ACCEPTED" "INTERNAL_API_KEY_DIR" "METRICS_TOKEN" "MIGRATE" "PORT" -}}
{{- range .env -}}
{{- if eq (hasKey . "value") (hasKey . "secretKeyRef") -}}{{- fail "exactly one of value and secretKeyRef is required" -}}{{- end -}}
{{- if has .name $reserved -}}{{- fail (printf "%s: this variable is set by the operator or the chart" .name) -}}{{- end -}}
{{- end -}}
{{- end -}}

{{- define "legal.validateExposure" -}}
{{- with .gateway -}}
{{- if and (hasKey . "ingress") (hasKey . "httpRoute") -}}{{- fail "ingress and httpRoute are mutually exclusive" -}}{{- end -}}
{{- if and (hasKey . "tls") (not (hasKey . "ingress")) -}}{{- fail "tls requires ingress; with httpRoute the Gateway has the certificate" -}}{{- end -}}
{{- if not (or .oidc (ne ($.environment | default "production") "production")) -}}{{- fail "gateway.oidc is required in production" -}}{{- end -}}
{{- end -}}
{{- if and (not .gateway) (hasKey (.services | default dict) "gateway") -}}{{- fail "services.gateway requires gateway" -}}{{- end -}}
{{- $policy := .networkPolicy | default dict -}}
{{- range concat ($policy.gatewayFrom | default list) ($policy.metricsFrom | default list) -}}
{{- if not (or (hasKey . "namespaceLabels") (hasKey . "podLabels")) -}}{{- fail "namespaceLabels or podLabels is required" -}}{{- end -}}
{{- end -}}
{{- end -}}
