-- Seven causes. Forty uploads of the same 8 MiB to the same place, of which chance left every other one out: what is
-- seen of those that were looked at is scaled up. And six lines that read 4 bytes back ten times each, every line for a
-- shorter time than the one before; the last two are too many for the first screen.
INSERT OR REPLACE INTO meta VALUES ('duration_ns',400000000),('command','./many_causes'),('option.fingerprint','auto');
INSERT INTO entry_point VALUES (1,'cuMemcpyHtoD_v2',0),(2,'cuMemcpyDtoH_v2',0),(3,'cuMemAlloc_v2',2),
 (4,'cuLaunchKernel',4);
INSERT INTO thread VALUES (1,7,'causes');
INSERT INTO device VALUES (0,'NVIDIA H100 80GB HBM3','GPU-0','0000:1b:00.0','9.0',85520809984,5,16,63000000000,0);
INSERT INTO context VALUES (1,1000,0);
INSERT INTO stream VALUES (1,0,1,NULL);
INSERT INTO allocation (id,entry_point,thread,address,bytes,kind,origin,device,context,enter_ns,return_ns) VALUES
 (1,3,1,140000000000000,8388608,4,1,0,1,1000000,1100000),(2,3,1,140000020000000,4096,4,1,0,1,1110000,1120000);
INSERT INTO python_code VALUES (1,'/opt/app/causes.py','steps',1);
INSERT INTO stack(id,native_frames,python_frames,is_cut)
 WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM i WHERE n<7) SELECT n,0,1,0 FROM i;
INSERT INTO stack_frame (id,stack,depth,code,line,is_entry)
 WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM i WHERE n<7) SELECT n*4096+2048,n,0,1,10+n,1 FROM i;
INSERT INTO fingerprint
 WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n+2 FROM i WHERE n<38)
 SELECT 1+n,11,12,CASE WHEN n THEN 11 END,CASE WHEN n THEN 12 END,2048,CASE WHEN n THEN 0 END,NULL,1 FROM i;
INSERT INTO transfer (id,entry_point,thread,direction,bytes,src_address,dst_address,src_kind,dst_kind,dst_device,
  dst_allocation,context,stream,is_async,is_captured,result,enter_ns,return_ns,correlation,stack,fingerprint,skip)
 WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n+1 FROM i WHERE n<39)
 SELECT 1+n,1,1,1,8388608,90000000,140000000000000,1,4,0,1,1,1,0,0,0,10000000+n*5000000,10800000+n*5000000,100+n,1,
  CASE WHEN n%2 THEN NULL ELSE 1+n END,CASE WHEN n%2 THEN 21 END FROM i;
INSERT INTO transfer (id,entry_point,thread,direction,bytes,src_address,dst_address,src_kind,dst_kind,src_device,
  src_allocation,context,stream,is_async,is_captured,result,enter_ns,return_ns,correlation,stack,skip)
 WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n+1 FROM i WHERE n<59)
 SELECT 101+n,2,1,2,4,140000020000000,95000000,4,1,0,2,1,1,0,0,0,220000000+n*2000000,
  220000000+n*2000000+(6-n/10)*200000,200+n,2+n/10,9 FROM i;
INSERT INTO argument_set VALUES (1);
INSERT INTO argument VALUES (1,1);
INSERT INTO launch (id,entry_point,thread,kind,function,context,stream,is_captured,result,enter_ns,correlation,arguments)
 WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n+1 FROM i WHERE n<39)
 SELECT 1+n,4,1,0,7000,1,1,0,0,11000000+n*5000000,400+n,1 FROM i;
INSERT INTO device_copy (correlation,kind,src_kind,dst_kind,bytes,start_ns,end_ns,device,cupti_context,cupti_stream,
  is_async,copies)
 SELECT correlation,CASE direction WHEN 1 THEN 1 ELSE 2 END,CASE direction WHEN 1 THEN src_kind ELSE 3 END,
  CASE direction WHEN 1 THEN 3 ELSE dst_kind END,bytes,
  CASE direction WHEN 1 THEN enter_ns+10000 ELSE return_ns-5000 END,return_ns-3000,0,1,7,0,1 FROM transfer;
