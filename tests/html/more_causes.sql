-- To be put after causes.sql: 250 more lines that read 4 bytes back ten times each, so that there are more findings
-- than a page has the evidence of. Each line takes a little less than the one before.
INSERT INTO stack(id,native_frames,python_frames,is_cut)
 WITH RECURSIVE i(n) AS (SELECT 8 UNION ALL SELECT n+1 FROM i WHERE n<257) SELECT n,0,1,0 FROM i;
INSERT INTO stack_frame (id,stack,depth,code,line,is_entry)
 WITH RECURSIVE i(n) AS (SELECT 8 UNION ALL SELECT n+1 FROM i WHERE n<257) SELECT n*4096+2048,n,0,1,10+n,1 FROM i;
INSERT INTO transfer (id,entry_point,thread,direction,bytes,src_address,dst_address,src_kind,dst_kind,src_device,
  src_allocation,context,stream,is_async,is_captured,result,enter_ns,return_ns,correlation,stack,skip)
 WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n+1 FROM i WHERE n<2499)
 SELECT 1001+n,2,1,2,4,140000020000000,95000000,4,1,0,2,1,1,0,0,0,345000000+n*20000,
  345000000+n*20000+15000-(n/10)*10,1000+n,8+n/10,9 FROM i;
INSERT INTO device_copy (correlation,kind,src_kind,dst_kind,bytes,start_ns,end_ns,device,cupti_context,cupti_stream,
  is_async,copies)
 SELECT correlation,2,3,dst_kind,bytes,return_ns-5000,return_ns-3000,0,1,7,0,1 FROM transfer WHERE id > 1000;
