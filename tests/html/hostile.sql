-- Every text of a trace tries to be markup, to end the element that it stands in, to run, and to be long; some bytes
-- are no UTF-8.
CREATE TEMP TABLE evil AS SELECT '</script><script>window.pwned=1</script><img src=x onerror="window.pwned=1">' ||
    char(8232, 8233, 8238, 27, 10)
  || '<!--<script>' || CAST(x'ff' AS TEXT) || '{{document}}${1}&lt;' || replace(hex(zeroblob(100000)), '0', 'A<') AS t;
UPDATE meta SET value = (SELECT t FROM evil) WHERE typeof(value) = 'text'
    AND key NOT IN ('status', 'cupti.status', 'option.fingerprint');
UPDATE entry_point SET name = (SELECT t FROM evil) || id;
UPDATE thread SET name = (SELECT t FROM evil);
UPDATE device SET name = (SELECT t FROM evil), pci_bus_id = name, compute_capability = name, uuid = name;
UPDATE kernel_name SET name = (SELECT t FROM evil);
UPDATE module SET path = (SELECT t FROM evil);
UPDATE python_code SET file = (SELECT t FROM evil) || id, function = (SELECT t FROM evil);
UPDATE symbol SET function = (SELECT t FROM evil), file = (SELECT t FROM evil);
UPDATE nvtx_range SET name = (SELECT t FROM evil);
INSERT INTO note (at_ns, topic, text) SELECT 1, t, t FROM evil;
